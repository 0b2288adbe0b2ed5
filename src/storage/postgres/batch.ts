/** Writes as the function in PostgreSQL takes them, and what it answers. */
import type { Precondition } from '../../domain/precondition.ts';
import type { Bulked, Once, Unchanged } from '../../domain/store.ts';
import type { RepeatedRow } from '../rows/idempotency-key.ts';
import type { Spooled } from '../spool.ts';

export type BatchWrite = { readonly to: string } & (
  | { readonly add: string }
  | { readonly once: string; readonly under: Once }
  /** Where `first` is given, only if that is still the number of the first record with the id. */
  | { readonly remove: bigint; readonly first?: number; readonly when: VersionsMeant }
  | { readonly seq: number; readonly update: string; readonly when: VersionsMeant }
  | { readonly discard: number; readonly when: VersionsMeant }
);

/** The versions that a change is meant for; undefined where any will do. */
export type VersionsMeant = Precondition<number> | undefined;

/** Any number of records for one collection; has a transaction to itself. */
export type Additions = { readonly to: string; readonly spooled: Spooled; readonly once: Once | undefined };

/** The whole record as it is now, encoded. */
export type Updated = { readonly version: number; readonly createdAt: string; readonly json: string };

/** The number of a record that was added, what is known of one that was updated or repeated, or what became of it. */
export type BatchOutcome = number | Bulked | Updated | RepeatedRow | 'mismatch' | 'done' | Unchanged;

/** The number and the time of a change that a client has heard of. */
export type Shown = readonly [seq: number, at: string];

/** The last change there is, and the number behind which a new epoch has begun, if one has. */
export type Acknowledged = { readonly last: Shown | null; readonly epoch: number | null };

/** What the function answers. */
export type BatchResult = Acknowledged & { readonly at: string; readonly outcomes: readonly BatchOutcome[] };

/** About how many bytes it is. */
export function weightOf(change: BatchWrite | Additions): number {
  if ('spooled' in change) return Number.POSITIVE_INFINITY;
  if ('add' in change) return change.add.length;
  if ('once' in change) return change.once.length;
  return 'update' in change ? change.update.length : 0;
}

/** Additions to one collection, and nothing else. */
export function encodeAdditions(to: string, records: readonly string[], shown: readonly Shown[]): string {
  return wholeBatch([`{"to":"${to}","add":[${records.join(',')}]}`], shown);
}

function wholeBatch(runs: readonly string[], shown: readonly Shown[]): string {
  return `{"shown":${JSON.stringify(shown)},"runs":[${runs.join(',')}]}`;
}

/** Runs of additions to one collection go together. */
export function encodeBatch(changes: readonly BatchWrite[], shown: readonly Shown[]): string {
  const runs: string[] = [];
  let adding = '';
  let rows: string[] = [];
  function endRun(): void {
    if (rows.length > 0) runs.push(`{"to":"${adding}","add":[${rows.join(',')}]}`);
    rows = [];
  }
  for (const change of changes) {
    if (!('add' in change) || change.to !== adding) endRun();
    if ('add' in change) {
      adding = change.to;
      rows.push(change.add);
    } else runs.push(encodeRun(change));
  }
  endRun();
  return wholeBatch(runs, shown);
}

function encodeRun(change: Exclude<BatchWrite, { add: string }>): string {
  const to = `"to":"${change.to}"`;
  if ('once' in change) {
    const { key, digest, keptMs } = change.under;
    return `{${to},"key":${JSON.stringify(key)},"digest":"${digest}","kept_ms":${keptMs},"once":${change.once}}`;
  }
  const { match = null, noneMatch = null } = change.when ?? {};
  const when = `"versions":${JSON.stringify(match)},"none":${JSON.stringify(noneMatch)}`;
  if ('remove' in change) return `{${to},"remove":${change.remove},"first":${change.first ?? null},${when}}`;
  if ('discard' in change) return `{${to},"discard":${change.discard},${when}}`;
  return `{${to},"seq":${change.seq},${when},"update":${change.update}}`;
}
