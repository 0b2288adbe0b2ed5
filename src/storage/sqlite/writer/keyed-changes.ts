/** The changes of a bulk with a key, for the records in memory. */
import { maxChanges, maxRecordBytes } from '../../../domain/store/operation.ts';
import type { KeyedChange } from './thread/outcome.ts';

export class KeyedChanges {
  /** Undefined if they are more than a transaction may have: the table is read again then. */
  all: KeyedChange[] | undefined = [];
  #bytes = 0;

  add(change: KeyedChange): void {
    this.#bytes += change.json.length;
    if (this.all === undefined) return;
    if (this.all.length < maxChanges && this.#bytes <= maxRecordBytes) this.all.push(change);
    else this.all = undefined;
  }
}
