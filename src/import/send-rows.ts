/** Sends the rows of a batch, and counts what came in. */
import { type FailureOf, rowsAtFault } from './failure.ts';
import type { GoodRow, RefusedRow } from './rows.ts';

export type Sending<Result> = {
  readonly failureOf: FailureOf;
  /** All of them or none. */
  send(rows: GoodRow[]): Promise<Result>;
  /** Called with the rows that are left out, before the others are sent. */
  onRefused(rows: readonly RefusedRow[]): Promise<void>;
};

/** Rows that the target refuses are left out. Undefined if no row is left. */
export async function sendRows<Result>(
  rows: GoodRow[],
  { failureOf, send, onRefused }: Sending<Result>,
): Promise<Result | undefined> {
  let left = rows;
  while (left.length > 0) {
    try {
      return await send(left);
    } catch (error) {
      const refused = rowsAtFault(failureOf(error), (place) => left[place - 1]);
      if (refused.length === 0) throw error;
      await onRefused(refused);
      const lines = new Set(refused.map(({ line }) => line));
      left = left.filter(({ line }) => !lines.has(line));
    }
  }
  return undefined;
}

/** `earlier`: the batch was in already, and `existing` of its records were not deleted since; undefined if they could not be counted. */
export type ImportedBatch = {
  readonly created: number;
  /** With a key. */
  readonly updated?: number;
  readonly earlier?: { readonly existing?: number };
};

export type Counts = {
  readonly added: number;
  readonly updated: number;
  /** Records of batches that were in already, and how many of them were deleted since. */
  readonly present: number;
  readonly deleted: number;
};

export const noCounts: Counts = { added: 0, updated: 0, present: 0, deleted: 0 };

export function countsWith(counts: Counts, { created, updated = 0, earlier }: ImportedBatch): Counts {
  const { added, present, deleted } = counts;
  if (earlier === undefined) return { ...counts, added: added + created, updated: counts.updated + updated };
  const gone = created - (earlier.existing ?? created);
  return { ...counts, present: present + created + updated, deleted: deleted + gone };
}
