/** Committed changes. */
import type { Collection } from '../record/collection.ts';
import type { Recorded } from '../record/record.ts';
import type { History } from './feed-history.ts';

/** One committed change; for a deletion `record` is the last state. */
export type Change = {
  readonly changeNumber: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly at: string;
  /** The name of the API key, or the subject of the token, that made the change; undefined if there was none. */
  readonly by: string | undefined;
  readonly collection: Collection;
  /** What one record was called when the change was recorded. */
  readonly singular: string;
  readonly record: Recorded;
};

/**
 * `more`: there are changes after these. `history` is from the moment of the read, or later. `to` is how far the read has looked: of what was
 * asked for, there is and will be no other change up to this number.
 */
export type Changes = {
  readonly changes: readonly Change[];
  readonly more: boolean;
  readonly history: History;
  readonly to: number;
};
