/** Stores the records of a bulk with the write function, which says which of them clash with others. */

import type { Bulked } from '../../../domain/store/bulk.ts';
import { bulkClashFailure, type Placed } from '../../../domain/store/constraint-clash.ts';
import type { BatchUpdates } from '../../bulk/imports.ts';
import { NewPlaces } from '../../bulk/new-places.ts';
import { linesOf, placeAmongAll } from '../../bulk/spool.ts';
import {
  type Acknowledged,
  type Additions,
  type BatchResult,
  encodeAdditions,
  encodeUpserts,
  isClashed,
} from '../batch/batch.ts';
import type { SeenChanges } from '../primary/seen-changes.ts';

/** The transaction of a bulk, which has the write lock. */
export type Insertion = {
  readonly writeFunction: string;
  readonly noticed: SeenChanges;
  ask(statement: string, parameters?: (string | number)[]): Promise<unknown[][]>;
  /** `into` is the table with its columns, `rows` are in the binary format of COPY, which is sent as it becomes ready. */
  copy(into: string, rows: readonly Promise<Uint8Array>[]): Promise<void>;
  /** Throws if other writes have waited long enough. */
  mayGoOn(): Promise<void>;
};
export type Inserted = Bulked & { readonly newest: Acknowledged['last']; readonly epoch: Acknowledged['epoch'] };

/** Records that clash, at most: enough to correct several at a time. */
const maxClashes = 100;

/** Part by part. `updates` is for an import with a key. Throws with the records that clash. */
export async function callAll(
  { ask, mayGoOn, writeFunction, noticed }: Insertion,
  { to, by, traceId, rule, wordsOf, spooled }: Additions,
  updates?: BatchUpdates,
): Promise<Inserted> {
  let place = 0;
  let first = 0;
  let last = 0;
  let updated = 0;
  const added = new NewPlaces();
  const clashes: Placed[] = [];
  let { last: newest, epoch }: Acknowledged = { last: null, epoch: null };
  for (const records of linesOf(spooled)) {
    // With the first part only: after it, this transaction itself has written the newest changes.
    const shown = place === 0 ? noticed.shown : [];
    await mayGoOn();
    const batch =
      rule === undefined
        ? encodeAdditions({ to, by, traceId, wordsOf }, records, shown)
        : encodeUpserts({ to, by, traceId, wordsOf }, rule, records, shown);
    const [row] = await ask(`select ${writeFunction}($1)`, [batch]);
    const result = JSON.parse(String(row?.[0])) as BatchResult;
    newest = result.last;
    epoch ??= result.epoch;
    for (const outcome of result.outcomes) {
      place++;
      if (isClashed(outcome)) clashes.push([place, outcome.clashes]);
      else if (typeof outcome === 'number') {
        first ||= outcome;
        last = outcome;
        added.add(outcome, place);
      } else updated++;
      updates?.add(outcome === 'updated');
    }
    if (clashes.length > maxClashes) break;
  }
  if (clashes.length > 0) {
    const placeOf = (among: number) => placeAmongAll(among, spooled.without);
    throw bulkClashFailure(clashes.slice(0, maxClashes), (recordId) => added.of(recordId), placeOf);
  }
  const bulked = { created: place - updated, first, last, newest, epoch };
  return rule === undefined ? bulked : { ...bulked, updated };
}
