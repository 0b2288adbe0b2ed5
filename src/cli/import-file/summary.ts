/** What an import has added and what was in already, for its last line. */

import type { Imported } from '../../domain/store/bulk.ts';
import { countsWith, noCounts } from '../../import/send-rows.ts';
import { counted, grouped } from '../text/amounts.ts';

export class Summary {
  #counts = noCounts;

  /** With a key, records are updated, too. */
  constructor(readonly isKeyed: boolean) {}

  /** Of batches that were in already: rows of the file that were not added then, and when they were added. */
  #refused = 0;
  #times: string[] = [];

  /** `sent` is the number of records that the batch has now. */
  add(imported: Imported, sent: number): void {
    this.#counts = countsWith(this.#counts, imported);
    const { created, updated = 0, earlier } = imported;
    if (earlier === undefined) return;
    this.#refused += Math.max(sent - created - updated, 0);
    // Milliseconds tell a person nothing. The first and the last time are enough.
    const times = [...this.#times, earlier.at.replace(/\.\d+/, '')].sort();
    this.#times = times.length > 2 ? [times[0] ?? '', times.at(-1) ?? ''] : times;
  }

  /** Rows of the file that an earlier import has refused, and this one has left out, too. */
  get refusedBefore(): number {
    return this.#refused;
  }

  /** As in "3,000 created, 1,200 updated"; undefined without a key. */
  get stored(): string | undefined {
    const { added, updated } = this.#counts;
    return this.isKeyed ? `${grouped(added)} created, ${grouped(updated)} updated` : undefined;
  }

  /** `rejects` is the file of the rows that are refused. */
  text(rejects?: { readonly path: string; readonly count: number }): string {
    const refused = rejects?.count ?? 0;
    const { added, present, deleted } = this.#counts;
    const parts = [
      this.stored ?? `${counted(added, 'record')} added`,
      ...(present > 0 ? [`${counted(present, 'record')} in already (${this.#before(refused)})`] : []),
      ...(refused > 0 ? [`${counted(refused, 'row')} refused, see ${rejects?.path}`] : []),
    ];
    const isOld = deleted > 0 || (this.isKeyed && present > 0);
    const advice = isOld ? ' Use --again to import the whole file anew.' : '';
    return `${parts.join(', ')}.${advice}`;
  }

  /** `refused` rows are told anyway. */
  #before(refused: number): string {
    const [first, last = first] = this.#times;
    const { deleted } = this.#counts;
    const parts = [first === last ? `imported at ${first}` : `imported from ${first} to ${last}`];
    if (deleted > 0) parts.push(`${grouped(deleted)} of them no longer exist`);
    if (this.#refused > refused) parts.push(`${counted(this.#refused, 'row')} refused then`);
    return parts.join('; ');
  }
}
