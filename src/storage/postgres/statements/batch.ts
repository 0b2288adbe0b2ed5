/** Encodes writes as a batch for the write function in PostgreSQL; types of its result. */
import type { Clash } from '../../../domain/store/constraint-clash.ts';
import type { Once } from '../../../domain/store/once.ts';
import type { Precondition } from '../../../domain/store/precondition.ts';
import type { Unchanged } from '../../../domain/store/transaction.ts';
import type { BulkOrder, BulkOutcome } from '../../bulk/spooled-bulk.ts';
import type { CopyTable } from './copy-table.ts';

/** `by` is the name of the caller; undefined without one. */
export type BatchWrite = { readonly to: string; readonly by?: string | undefined } & (
  | { readonly add: string }
  | { readonly once: string; readonly under: Once }
  /** `first`: the sequence number that the first record with this id must still have; `conflict` otherwise. */
  | {
      readonly remove: bigint;
      readonly first?: number;
      readonly when: VersionPrecondition;
      readonly permitted: Permitted;
    }
  | { readonly seq: number; readonly update: string; readonly when: VersionPrecondition }
  | { readonly discard: number; readonly when: VersionPrecondition; readonly permitted: Permitted }
);

/** The collections that a deletion may change; undefined for all. */
export type Permitted = readonly string[] | undefined;

/** Precondition of a change on the version of its record; undefined for none. */
export type VersionPrecondition = Precondition<number> | undefined;

/** A bulk: any number of records for one collection, in a transaction of its own. */
export type Additions = BulkOrder & {
  readonly to: string;
  readonly by: string | undefined;
  /** Undefined where records have to be added one by one. */
  readonly table: CopyTable | undefined;
};

/** `json` is the whole record after the update. */
export type Updated = { readonly version: number; readonly createdAt: string; readonly json: string };

/** Outcome of one write. A number is the sequence number of an added record. */
export type BatchOutcome = number | BulkOutcome | Updated | Clashed | 'done' | Unchanged;
export type Clashed = { readonly clashes: readonly Clash[] };

export function isClashed(outcome: unknown): outcome is Clashed {
  return typeof outcome === 'object' && outcome !== null && 'clashes' in outcome;
}

/** Number and time of a change that a client has seen. */
export type Shown = readonly [seq: number, at: string];

/** `last`: the last change in the database. `epoch`: if a new epoch has begun, its numbers follow this one. */
export type Acknowledged = { readonly last: Shown | null; readonly epoch: number | null };

/** Result of the write function: one outcome per write, in order. */
export type BatchResult = Acknowledged & { readonly at: string; readonly outcomes: readonly BatchOutcome[] };

/** Approximate size in bytes. Infinite for a bulk, so that the commit queue never batches it with other writes. */
export function weightOf(change: BatchWrite | Additions): number {
  if ('spooled' in change) return Number.POSITIVE_INFINITY;
  if ('add' in change) return change.add.length;
  if ('once' in change) return change.once.length;
  return 'update' in change ? change.update.length : 0;
}

/** A batch that only adds records to one collection. */
export function encodeAdditions(
  target: Pick<BatchWrite, 'to' | 'by'>,
  records: readonly string[],
  shown: readonly Shown[],
): string {
  return wholeBatch([addRun(target, records)], shown);
}

function addRun(target: Pick<BatchWrite, 'to' | 'by'>, records: readonly string[]): string {
  return `{${targetMembers(target)},"add":[${records.join(',')}]}`;
}

function targetMembers({ to, by }: Pick<BatchWrite, 'to' | 'by'>): string {
  return by === undefined ? `"to":"${to}"` : `"to":"${to}","by":${JSON.stringify(by)}`;
}

function wholeBatch(runs: readonly string[], shown: readonly Shown[]): string {
  return `{"shown":${JSON.stringify(shown)},"runs":[${runs.join(',')}]}`;
}

/** Consecutive additions of one caller to one collection share one run. */
export function encodeBatch(changes: readonly BatchWrite[], shown: readonly Shown[]): string {
  const runs: string[] = [];
  let adding: Pick<BatchWrite, 'to' | 'by'> = { to: '' };
  let rows: string[] = [];
  function endRun(): void {
    if (rows.length > 0) runs.push(addRun(adding, rows));
    rows = [];
  }
  for (const change of changes) {
    if (!('add' in change) || change.to !== adding.to || change.by !== adding.by) endRun();
    if ('add' in change) {
      adding = change;
      rows.push(change.add);
    } else runs.push(encodeRun(change));
  }
  endRun();
  return wholeBatch(runs, shown);
}

function encodeRun(change: Exclude<BatchWrite, { add: string }>): string {
  const to = targetMembers(change);
  if ('once' in change) {
    const { key, digest, former, keptMs } = change.under;
    const under = `"key":${JSON.stringify(key)},"digest":"${digest}","former":"${former}","kept_ms":${keptMs}`;
    return `{${to},${under},"once":${change.once}}`;
  }
  const { match = null, noneMatch = null } = change.when ?? {};
  const when = `"versions":${JSON.stringify(match)},"none":${JSON.stringify(noneMatch)}`;
  if ('update' in change) return `{${to},"seq":${change.seq},${when},"update":${change.update}}`;
  const permitted = change.permitted === undefined ? '' : `,"permitted":${JSON.stringify(change.permitted)}`;
  if ('discard' in change) return `{${to},"discard":${change.discard},${when}${permitted}}`;
  return `{${to},"remove":${change.remove},"first":${change.first ?? null},${when}${permitted}}`;
}
