/** Inserts the records of a bulk with the write function, which says which of them clash with others. */

import type { Bulked } from '../../../domain/store/bulk.ts';
import { bulkClashFailure, type Clash } from '../../../domain/store/constraint-clash.ts';
import { linesOf, placeAmongAll } from '../../bulk/spool.ts';
import { type Acknowledged, type Additions, type BatchResult, encodeAdditions, isClashed } from '../batch/batch.ts';
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

/** Part by part. Throws with the records that clash. */
export async function callAll(
  { ask, mayGoOn, writeFunction, noticed }: Insertion,
  { to, by, spooled }: Additions,
): Promise<Inserted> {
  let first = 0;
  let last = 0;
  let created = 0;
  const clashes: [place: number, clashes: readonly Clash[]][] = [];
  let { last: newest, epoch }: Acknowledged = { last: null, epoch: null };
  for (const records of linesOf(spooled)) {
    // With the first part only: after it, this transaction itself has written the newest changes.
    const shown = created === 0 ? noticed.shown : [];
    await mayGoOn();
    const [row] = await ask(`select ${writeFunction}($1)`, [encodeAdditions({ to, by }, records, shown)]);
    const result = JSON.parse(String(row?.[0])) as BatchResult;
    newest = result.last;
    epoch ??= result.epoch;
    for (const [index, outcome] of result.outcomes.entries()) {
      if (isClashed(outcome)) clashes.push([created + index + 1, outcome.clashes]);
    }
    if (clashes.length > maxClashes) break;
    // Besides clashes, a batch of additions has only numbers as outcomes.
    const added = result.outcomes.filter((outcome) => typeof outcome === 'number');
    first ||= added[0] ?? 0;
    last = added.at(-1) ?? last;
    created += result.outcomes.length;
  }
  if (clashes.length > 0)
    throw bulkClashFailure(clashes.slice(0, maxClashes), first, (place) => placeAmongAll(place, spooled.without));
  return { created, first, last, newest, epoch };
}
