/**
 * A write, and what becomes of it. The record of a POST is `Json` as it was sent, a `Draft` or `Row` once it is checked, a
 * `Create` for the engine, and `Created` when it is stored. From then on it is read as an `EncodedRecord`, or as `Stored` with its values.
 */
import type { Collection } from '../record/collection.ts';
import type { Recorded } from '../record/record.ts';
import type { Trace } from '../trace.ts';
import type { Once } from './once.ts';
import type { Step } from './operation.ts';
import type { Precondition } from './precondition.ts';

/** Adds a record at the end. */
export type Create = {
  readonly op: 'create';
  readonly collection: Collection;
  /** The encoded record, without a contract id if that is to be its record id. */
  readonly json: string;
};

/**
 * Changes the fields in `json`, an encoded object; the other fields keep their values. It is applied where writes are
 * serialized, so it cannot lose a race even without a precondition, which is checked there as well.
 */
export type Update = {
  readonly op: 'update';
  readonly collection: Collection;
  readonly recordId: number;
  readonly json: string;
  /** On the version. */
  readonly when?: Precondition<number> | undefined;
};

/** Records that refer to the deleted one are deleted or changed with it, as their fields declare. */
export type Delete = {
  readonly op: 'delete';
  readonly collection: Collection;
  readonly recordId: number;
  /** On the version. */
  readonly when?: Precondition<number> | undefined;
};

/** Deletes the earliest record with this id of the contract. */
export type DeleteFirst = {
  readonly op: 'delete first';
  readonly collection: Collection;
  readonly contractId: bigint;
  /** On its `tagOf`. */
  readonly when?: Precondition<string> | undefined;
};

export type Operation = Create | Update | Delete | DeleteFirst;

export type Transaction<One extends Operation = Operation> = {
  readonly operation: One;
  /** The record is created once per key, and the key is stored with it: any number of retries makes one record. */
  readonly once?: (One extends Create ? Once : never) | undefined;
  /** The name of the caller, for the changes. */
  readonly by?: string | undefined;
  readonly trace?: Trace | undefined;
  /** The collections that a deletion may change with its cascades; undefined for all. */
  readonly permitted?: (One extends Delete | DeleteFirst ? readonly string[] : never) | undefined;
};

/** Several operations in one commit: all of them, or none. */
export type MultiTransaction = {
  readonly operations: readonly Step[];
  /** The transaction is committed once per key, and its results are stored with it. */
  readonly once?: Once | undefined;
  readonly by?: string | undefined;
  readonly trace?: Trace | undefined;
  /** The collections that it may change with cascades; undefined for all. */
  readonly permitted?: readonly string[] | undefined;
  /** Whether the results have the records. */
  readonly returnsRecords: boolean;
};

/** What became of one operation. `record` is the state after it, of a deletion the last; absent if it was not asked for. */
export type StepResult =
  | { readonly recordId: number; readonly version: number; readonly record?: Recorded }
  /** For a record that must not exist, and does not. */
  | { readonly recordId: number; readonly version: null }
  /** Records that were counted, or changed. */
  | { readonly count: number };

/** The numbers of the first and the last change; null if there was none. `isRepeated`: the key had committed it before. */
export type Committed = {
  readonly results: readonly StepResult[];
  readonly firstChange: number | null;
  readonly lastChange: number | null;
  readonly isRepeated: boolean;
};

/** `isRepeated`: the key had added the record before; this is how it was then. */
export type Created = Recorded & { readonly isRepeated: boolean };

/** Why a change was not made: the record does not exist, or the precondition does not hold. */
export type Unchanged = 'missing' | 'conflict';

/** The new record, with the record id that it was given. */
export function createdFrom({ collection, json }: Create, recordId: number, at: string): Created {
  const complete = completer(collection);
  return { recordId, version: 1, createdAt: at, updatedAt: at, json: complete(json, recordId, at), isRepeated: false };
}

/** Makes an encoded draft the JSON that is stored, by what the engine gives the record: its id, and the moment of the change. */
export type Complete = (json: string, recordId: number, at: string) => string;

const asIs: Complete = (json) => json;

export function completer({ contract, stamp }: Collection): Complete {
  const identify: Complete = contract === undefined ? asIs : withId;
  return stamp === undefined ? identify : (json, recordId, at) => identify(stamp(json, at), recordId, at);
}

/** Adds the contract id to a record that was encoded without one: its record id. */
function withId(json: string, recordId: number): string {
  return hasId(json) ? json : `{"id":${recordId},${json.slice(1)}`;
}

/** Whether an encoded draft has a contract id. */
export function hasId(json: string): boolean {
  return json.startsWith('{"id":');
}
