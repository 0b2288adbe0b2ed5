/** Encodes writes as a batch for the write function in PostgreSQL; types of its result. */
import { readKeyed } from '../../../domain/record/keyed-text.ts';
import type { Clash } from '../../../domain/store/constraint-clash.ts';
import type { OperationFault } from '../../../domain/store/operation-failure.ts';
import type {
  Committed,
  Create,
  Delete,
  DeleteFirst,
  MultiTransaction,
  Transaction,
  Unchanged,
  Update,
} from '../../../domain/store/transaction.ts';
import type { BulkOrder, BulkOutcome } from '../../bulk/spooled-bulk.ts';
import type { CopyTable } from '../statements/copy-table.ts';
import { wordsJsonOf } from '../statements/words.ts';
import {
  type AddTarget,
  onceMembers,
  targetMembers,
  type VersionPrecondition,
  whenMember,
  wordsMember,
} from './members.ts';
import { transactionRun, transactionSize } from './transaction-run.ts';

/** `first`: the record id that the first record with this contract id must still have; `conflict` otherwise. */
type DeleteFirstVersion = Omit<DeleteFirst, 'when'> & {
  readonly first?: number | undefined;
  readonly when: VersionPrecondition;
};

/** A write of one record whose preconditions are all on versions. */
export type SingleWrite = Omit<Transaction, 'operation'> & {
  readonly operation: Create | Update | Delete | DeleteFirstVersion;
};

export type BatchWrite = SingleWrite | MultiTransaction;

/** A bulk: any number of records for one collection, in a transaction of its own. */
export type Additions = BulkOrder & {
  readonly to: string;
  readonly by: string | undefined;
  readonly traceId?: string | undefined;
  /** Undefined where records have to be added one by one. */
  readonly table: CopyTable | undefined;
  /** The place of the rule whose fields are the key; undefined without a key. */
  readonly rule?: number | undefined;
  readonly wordsOf?: AddTarget['wordsOf'];
};

/** `json` is the whole record after the update. */
export type Updated = { readonly version: number; readonly createdAt: string; readonly json: string };

/** Outcome of one write. A number is the sequence number of an added record. */
export type BatchOutcome =
  | number
  | BulkOutcome
  | Updated
  | Clashed
  | FailedOperation
  | TransactionResults
  | 'done'
  /** By a bulk with a key. */
  | 'updated'
  | Unchanged;
/** `operation` is its index. `added` has the records that the operations before have created, null for those that have not. */
export type FailedOperation = {
  readonly operation: number;
  readonly fault: OperationFault;
  readonly added: readonly (number | null)[];
};
export type TransactionResults = Omit<Committed, 'isRepeated'>;
export type Clashed = { readonly clashes: readonly Clash[] };

export function isClashed(outcome: unknown): outcome is Clashed {
  return typeof outcome === 'object' && outcome !== null && 'clashes' in outcome;
}

/** Number and time of a change that a client has seen. */
export type Shown = readonly [changeNumber: number, at: string];

/** `last`: the last change in the database. `epoch`: if a new epoch has begun, its numbers follow this one. */
export type Acknowledged = { readonly last: Shown | null; readonly epoch: number | null };

/** Result of the write function: one outcome per write, in order. */
export type BatchResult = Acknowledged & { readonly at: string; readonly outcomes: readonly BatchOutcome[] };

/** Approximate size in bytes. Infinite for a bulk, so that the commit queue never batches it with other writes. */
export function weightOf(change: BatchWrite | Additions): number {
  if ('spooled' in change) return Number.POSITIVE_INFINITY;
  if ('operations' in change) return transactionSize(change);
  return 'json' in change.operation ? change.operation.json.length : 0;
}

/** A batch that only adds records to one collection. */
export function encodeAdditions(target: AddTarget, records: readonly string[], shown: readonly Shown[]): string {
  return wholeBatch([addRun(target, records)], shown);
}

/** A batch of a bulk with a key. `records` are keyed texts. */
export function encodeUpserts(
  { wordsOf, ...target }: AddTarget,
  rule: number,
  records: readonly string[],
  shown: readonly Shown[],
): string {
  const upserts = records.map((record) => upsertOf(record, wordsOf));
  return wholeBatch([`{${targetMembers(target)},"rule":${rule},"upsert":[${upserts.join()}]}`], shown);
}

/** The words are those of a new record: an update takes the ones of the fields that it has. */
function upsertOf(record: string, wordsOf: AddTarget['wordsOf']): string {
  const { update, create } = readKeyed(record);
  const isWhole = typeof create === 'string';
  const words = wordsOf === undefined ? '' : `,"words":${wordsOf(isWhole ? create : update)}`;
  if (!isWhole) return `{"update":${update},"lacking":${JSON.stringify(create)}${words}}`;
  return `{"update":${update}${create === update ? '' : `,"create":${create}`}${words}}`;
}

/** `traces` has the trace of each record, null for none; they may also have one together. */
function addRun(
  { wordsOf, ...target }: AddTarget,
  records: readonly string[],
  traces: readonly (string | null)[] = [],
): string {
  const words = wordsOf === undefined ? '' : `,"words":[${records.map(wordsOf).join(',')}]`;
  const traced = traces.some((one) => one !== null) ? `,"traces":${JSON.stringify(traces)}` : '';
  return `{${targetMembers(target)},"add":[${records.join(',')}]${words}${traced}}`;
}

function wholeBatch(runs: readonly string[], shown: readonly Shown[]): string {
  return `{"shown":${JSON.stringify(shown)},"runs":[${runs.join(',')}]}`;
}

/** Consecutive additions of one caller to one collection share one run. */
export function encodeBatch(writes: readonly BatchWrite[], shown: readonly Shown[]): string {
  const runs: string[] = [];
  let adding: AddTarget = { to: '' };
  let rows: string[] = [];
  let traces: (string | null)[] = [];
  function endRun(): void {
    if (rows.length > 0) runs.push(addRun(adding, rows, traces));
    rows = [];
    traces = [];
  }
  for (const write of writes) {
    if ('operations' in write) {
      endRun();
      runs.push(transactionRun(write));
      continue;
    }
    const { operation, once, by, trace } = write;
    const isAddition = operation.op === 'create' && once === undefined;
    const target = { to: operation.collection.name, by };
    if (!isAddition || target.to !== adding.to || by !== adding.by) endRun();
    if (isAddition) {
      adding = { ...target, wordsOf: wordsJsonOf(operation.collection) };
      rows.push(operation.json);
      traces.push(trace?.id ?? null);
    } else runs.push(`{${targetMembers({ ...target, traceId: trace?.id })},${operationMembers(write)}}`);
  }
  endRun();
  return wholeBatch(runs, shown);
}

function operationMembers({ operation, once, permitted }: SingleWrite): string {
  const { collection } = operation;
  if (operation.op === 'create')
    return `${onceMembers(once)}"create":${operation.json}${wordsMember(collection, operation.json)}`;
  const when = whenMember(operation.when);
  if (operation.op === 'update')
    return `"seq":${operation.recordId}${when},"update":${operation.json}${wordsMember(collection, operation.json)}`;
  const rest = permitted === undefined ? when : `${when},"permitted":${JSON.stringify(permitted)}`;
  if (operation.op === 'delete') return `"discard":${operation.recordId}${rest}`;
  return `"remove":${operation.contractId},"first":${operation.first ?? null}${rest}`;
}
