/** What became of a write, as it comes back from the thread that writes. */
import type { Bulked, Unchanged } from '../../../domain/store.ts';
import type { RepeatedRow } from '../../rows/idempotency-key.ts';

/** The record that was taken away, its id, and the number of the one that has this id first then, 0 for none. */
export type Removed = { readonly removed: number; readonly id: string; readonly next: number };
/** The whole record as it is now, and its id; the id it had before, and the number of the record that has that one first now, 0 for none. */
export type Updated = {
  readonly version: number;
  readonly createdAt: string;
  readonly json: string;
  readonly newId: string;
  readonly id: string;
  readonly next: number;
};

/** The number of the record that was added, what was done else, or why nothing was. */
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

/** SQLite rejected this write; the disk works. */
export type Failed = { readonly failed: string };

/** The disk failed: nothing of the write was kept, or nobody can tell until the disk works again. */
export type Refused = { readonly refused: 'unavailable' | 'unknown'; readonly cause: string };

/** `lastChange` is the number of the last change in the file, made by this batch or before. */
export type Applied = { readonly outcomes: readonly Outcome[]; readonly at: string; readonly lastChange: number };

export const isRemoved = (outcome: Outcome): outcome is Removed => typeof outcome === 'object' && 'removed' in outcome;
export const isRefused = (outcome: Outcome): outcome is Refused => typeof outcome === 'object' && 'refused' in outcome;
export const isFailed = (outcome: Outcome): outcome is Failed => typeof outcome === 'object' && 'failed' in outcome;
export const isBulked = (outcome: Outcome): outcome is Bulked => typeof outcome === 'object' && 'created' in outcome;
export const isRepeated = (outcome: Outcome): outcome is RepeatedRow =>
  typeof outcome === 'object' && 'repeated' in outcome;
export const isUpdated = (outcome: Outcome): outcome is Updated => typeof outcome === 'object' && 'version' in outcome;
export const isUnchanged = (outcome: Outcome): outcome is Unchanged => outcome === 'missing' || outcome === 'conflict';

/** An outcome that this kind of write cannot have. */
export function unexpected(outcome: Outcome): Error {
  return new Error(`a write was answered with ${JSON.stringify(outcome)}`);
}
