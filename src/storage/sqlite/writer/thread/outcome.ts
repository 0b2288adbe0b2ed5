/** Outcomes of writes, as the writing thread returns them. */

import type { Bulked } from '../../../../domain/store/bulk.ts';
import type { Clash, Placed } from '../../../../domain/store/constraint-clash.ts';
import type { OperationFault } from '../../../../domain/store/operation-failure.ts';
import type { Unchanged } from '../../../../domain/store/transaction.ts';
import type { ImportDone } from '../../../bulk/imports.ts';
import type { NewPlaces } from '../../../bulk/new-places.ts';
import type { LineRange } from '../../../bulk/spool.ts';
import type { RepeatedRow } from '../../../rows/idempotency-key.ts';
import type { TransactionResults } from '../transaction/transaction-message.ts';

/** The contract id of a record before the write, and the record id of the record that is now the first with this id; 0 for none. */
type Ids = { readonly id?: string; readonly next?: number };
/** `others` are further records that were deleted or changed with this one. */
export type Removed = Ids & { readonly removed: number; readonly others?: readonly Other[] };
/** `place` is the index of its collection, and `recordId` the changed record. */
export type Other = { readonly place: number } & (Removed | (Updated & { readonly recordId: number }));
export type Updated = Ids & {
  readonly version: number;
  readonly createdAt: string;
  /** The whole record after the update. */
  readonly json: string;
  /** Only if the contract id changes; then `id` is the old one. */
  readonly newId?: string;
};
/** A change of one record, for the records in memory. */
export type Effect = Other | ({ readonly place: number } & CreatedRecord);
export type CreatedRecord = { readonly created: number; readonly json: string };
/** A change by a bulk with a key, in the table of the bulk. */
export type KeyedChange = CreatedRecord | (Updated & { readonly recordId: number });

/** The sum of a field is out of its bounds. */
export type OutOfBounds = { readonly outOfBounds: string; readonly sum: string };

/** The write was refused because it conflicts with other records. */
export type Clashed = { readonly clashes: readonly Clash[] };
/**
 * The same for a bulk, which is rolled back. `added` are those of its records that are in the way, by the numbers that they had. `without` are lines that were
 * skipped.
 */
export type BulkClashed = {
  readonly bulkClashes: readonly Placed[];
  readonly added: readonly (readonly [recordId: number, place: number])[];
  readonly without?: readonly LineRange[] | undefined;
};

/** A number is the record id of an added record. */
export type Outcome =
  | number
  | Removed
  | Updated
  | Bulked
  | ImportDone
  | RepeatedRow
  | 'mismatch'
  | { readonly trimmed: number }
  /** For API keys: whether a key was changed. */
  | { readonly isDone: boolean }
  | Clashed
  | BulkClashed
  | Unchanged
  | TransactionResults
  | FailedOperation
  | Refused
  | Failed;

/** The first operation that failed. Nothing of its transaction is stored. */
export type FailedOperation = { readonly operation: number; readonly fault: OperationFault };

/** SQLite rejected this write, but the disk works. */
export type Failed = { readonly failed: string };

/** The disk failed. `unavailable`: the write was not stored. `unknown`: the outcome is unknown until the disk works again. */
export type Refused = { readonly refused: 'unavailable' | 'unknown'; readonly cause: string };

/** `lastChange` is the number of the last change in the file, by this batch or an earlier one. */
export type Applied = { readonly outcomes: readonly Outcome[]; readonly at: string; readonly lastChange: number };

/**
 * The effects of each transaction of several operations, and of each bulk with a key unless they are many, by its outcome: only the records in memory need
 * them.
 */
export type Effects = ReadonlyMap<Outcome, readonly Effect[]>;

export const isRemoved = (outcome: Outcome): outcome is Removed => typeof outcome === 'object' && 'removed' in outcome;
export const isRefused = (outcome: Outcome): outcome is Refused => typeof outcome === 'object' && 'refused' in outcome;
export const isFailed = (outcome: Outcome): outcome is Failed => typeof outcome === 'object' && 'failed' in outcome;
export const isBulked = (outcome: Outcome): outcome is Bulked => typeof outcome === 'object' && 'created' in outcome;
export const isRepeated = (outcome: Outcome): outcome is RepeatedRow =>
  typeof outcome === 'object' && 'repeated' in outcome;
export const isUpdated = (outcome: Outcome): outcome is Updated => typeof outcome === 'object' && 'version' in outcome;
export const isClashed = (outcome: Outcome): outcome is Clashed => typeof outcome === 'object' && 'clashes' in outcome;
export const isBulkClashed = (outcome: Outcome): outcome is BulkClashed =>
  typeof outcome === 'object' && 'bulkClashes' in outcome;
export const isOutOfBounds = (outcome: Outcome | OutOfBounds): outcome is OutOfBounds =>
  typeof outcome === 'object' && 'outOfBounds' in outcome;
export const isCommitted = (outcome: Outcome): outcome is TransactionResults =>
  typeof outcome === 'object' && 'results' in outcome;
export const isFailedOperation = (outcome: Outcome): outcome is FailedOperation =>
  typeof outcome === 'object' && 'operation' in outcome;
export const isUnchanged = (outcome: Outcome): outcome is Unchanged => outcome === 'missing' || outcome === 'conflict';

/** Thrown to roll back the records of the bulk that are already added. */
export class BulkClashes extends Error {
  readonly outcome: BulkClashed;

  constructor(bulkClashes: readonly Placed[], places: NewPlaces, without: readonly LineRange[] | undefined) {
    super('records of a bulk clash with others');
    const inTheWay = bulkClashes.flatMap(([, clashes]) => clashes.flatMap((one) => ('taken' in one ? one.by : [])));
    const added = inTheWay.flatMap((by): [number, number][] => {
      const place = places.of(by);
      return place === undefined ? [] : [[by, place]];
    });
    this.outcome = { bulkClashes, added, without };
  }
}
