/** The whole content of a database, the same for both engines: what `move`, `export`, `import` and `verify` read and write. */
import type { StoredDeclarations } from '../../declarations/plan.ts';
import type { Collection } from '../../domain/collection.ts';
import type { Gap } from '../../domain/history.ts';
import type { Stored } from '../../domain/record.ts';
import type { ApiKeyRow } from '../rows/api-key.ts';
import type { ChangeRow } from '../rows/change.ts';
import type { IdempotencyKeyRow } from '../rows/idempotency-key.ts';

/** A collection as the database has it, which need not be as the configuration file declares it. */
export type CollectionOutline = {
  readonly collection: Collection;
  readonly records: number;
  /** The highest id that was ever given to a record. */
  readonly last: number;
};

/** Everything but the rows. */
export type Outline = {
  readonly declarations: StoredDeclarations;
  readonly parts: readonly CollectionOutline[];
  /** The number of changes that are kept, and the highest number that was ever given to one. */
  readonly changes: { readonly kept: number; readonly last: number };
  /** The last change that was trimmed; 0 for none. */
  readonly trimmed: number;
  readonly gaps: readonly Gap[];
  /** Signs cursors. */
  readonly secret: string;
};

export type Batches<Row> = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

/** A database as of one moment. Batches are small: a database is never in memory as a whole. */
export type Contents = {
  readonly outline: Outline;
  /** By id. */
  records(of: Collection): Batches<Stored>;
  /** In the order of the feed. */
  changes(): Batches<ChangeRow>;
  apiKeys(): Batches<ApiKeyRow>;
  idempotencyKeys(): Batches<IdempotencyKeyRow>;
};

/** Contents that were opened, and have to be closed. */
export type SourceDatabase = Contents & { close(): Promise<void> };

/** Rows and characters of one batch, at most: whichever is reached first, and at least one row. */
export const batchBounds = { rows: 2000, characters: 512 * 1024 };

/** The highest number that was given to a record or a change, in this history or in one that it has lost. */
export function lastNumberOf({ parts, changes, gaps }: Outline): number {
  return Math.max(changes.last, gaps.at(-1)?.[1] ?? 0, ...parts.map(({ last }) => last));
}
