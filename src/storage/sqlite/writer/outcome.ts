/** Outcomes of writes, as the writing thread returns them. */
import type { Bulked, Unchanged } from '../../../domain/store.ts';
import type { RepeatedRow } from '../../rows/idempotency-key.ts';

/** The seq of the removed record, its id, and the seq of the record that is now the first with this id; 0 for none. */
export type Removed = { readonly removed: number; readonly id: string; readonly next: number };
export type Updated = {
  readonly version: number;
  readonly createdAt: string;
  /** The whole record after the update. */
  readonly json: string;
  readonly newId: string;
  /** The id before the update. */
  readonly id: string;
  /** The seq of the record that is now the first with the old id; 0 for none. */
  readonly next: number;
};

/** A number is the seq of an added record. */
export type Outcome =
  | number
  | Removed
  | Updated
  | Bulked
  | RepeatedRow
  | 'mismatch'
  | { readonly trimmed: number }
  | Unchanged
  | Refused
  | Failed;

/** SQLite rejected this write, but the disk works. */
export type Failed = { readonly failed: string };

/** The disk failed. `unavailable`: the write was not stored. `unknown`: that is open until the disk works again. */
export type Refused = { readonly refused: 'unavailable' | 'unknown'; readonly cause: string };

/** `lastChange` is the number of the last change in the file, by this batch or an earlier one. */
export type Applied = { readonly outcomes: readonly Outcome[]; readonly at: string; readonly lastChange: number };

export const isRemoved = (outcome: Outcome): outcome is Removed => typeof outcome === 'object' && 'removed' in outcome;
export const isRefused = (outcome: Outcome): outcome is Refused => typeof outcome === 'object' && 'refused' in outcome;
export const isFailed = (outcome: Outcome): outcome is Failed => typeof outcome === 'object' && 'failed' in outcome;
export const isBulked = (outcome: Outcome): outcome is Bulked => typeof outcome === 'object' && 'created' in outcome;
export const isRepeated = (outcome: Outcome): outcome is RepeatedRow =>
  typeof outcome === 'object' && 'repeated' in outcome;
export const isUpdated = (outcome: Outcome): outcome is Updated => typeof outcome === 'object' && 'version' in outcome;
export const isUnchanged = (outcome: Outcome): outcome is Unchanged => outcome === 'missing' || outcome === 'conflict';

/** For an outcome that this kind of write cannot have. */
export function unexpected(outcome: Outcome): Error {
  return new Error(`unexpected outcome of a write: ${JSON.stringify(outcome)}`);
}
