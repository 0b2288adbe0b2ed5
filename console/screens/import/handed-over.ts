/** A file that was dropped on another screen, for the import. */
import { go, hrefOf } from '../../state/address.ts';
import type { Source } from './source.ts';

let waiting: Source | undefined;

/** Goes to the import, into a new collection. */
export function handOver(source: Source): void {
  waiting = source;
  go(hrefOf(['-', 'import'], 'new=true'));
}

/** Once. */
export function takeHandedOver(): Source | undefined {
  const source = waiting;
  waiting = undefined;
  return source;
}
