/** The whole content of a database, the same for both engines: what `move`, `export`, `import` and `verify` read and write. */
import type { StoredDeclarations } from '../../declarations/plan.ts';
import type { Gap } from '../../domain/feed/feed-history.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import { apiKeyColumns } from '../rows/api-key.ts';
import { changeColumns } from '../rows/change.ts';
import { idempotencyKeyColumns } from '../rows/idempotency-key.ts';
import { declarationsSetting, encodeDeclarations } from '../stored-declarations.ts';
import { versionsAfter, wordsSetting } from '../word-index.ts';

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

/** What the rows of a batch are. */
export type RowKind = 'record' | 'change' | 'key';

/** A table beside the collections. `title` is its name in messages, which no collection can have. `key` has the columns that order it. */
export type OwnTable = {
  readonly name: 'changes' | 'api_keys' | 'idempotency_keys';
  readonly title: string;
  readonly kind: RowKind;
  readonly key: readonly string[];
  readonly columns: readonly string[];
};

export const changesTable: OwnTable = {
  name: 'changes',
  title: 'changes',
  kind: 'change',
  key: ['seq'],
  columns: changeColumns,
};
export const apiKeysTable: OwnTable = {
  name: 'api_keys',
  title: 'api keys',
  kind: 'key',
  key: ['id'],
  columns: apiKeyColumns,
};
export const idempotencyKeysTable: OwnTable = {
  name: 'idempotency_keys',
  title: 'idempotency keys',
  kind: 'key',
  key: ['collection', 'key'],
  columns: idempotencyKeyColumns,
};
export const ownTables = [changesTable, apiKeysTable, idempotencyKeysTable];

/** Values in the order of the columns of an `OwnTable`. */
export type TableRow = readonly (string | number | bigint | null)[];

export type Batches<Row> = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

/** A database as of one moment. Batches are small: a database is never in memory as a whole. */
export type Contents = {
  readonly outline: Outline;
  /** By id. */
  records(of: Collection): Batches<Stored>;
  /** By the key of the table. */
  rows(of: OwnTable): Batches<TableRow>;
};

/** Contents that can be read from the middle. */
export type DatabaseContents = Omit<Contents, 'records'> & {
  /** By id: those behind `after`. */
  records(of: Collection, after?: number): Batches<Stored>;
};

/** Contents that were opened, and have to be closed. */
export type SourceDatabase = DatabaseContents & { close(): Promise<void> };

/** Rows and characters of one batch, at most: whichever is reached first, and at least one row. */
export const batchBounds = { rows: 2000, characters: 512 * 1024 };

/** The highest number that was given to a record or a change, in this history or in one that it has lost. */
export function lastNumberOf({ parts, changes, gaps }: Outline): number {
  return Math.max(changes.last, gaps.at(-1)?.[1] ?? 0, ...parts.map(({ last }) => last));
}

/** Rows of the table `settings`. */
export function settingsOf({
  declarations,
  parts,
  secret,
  trimmed,
  gaps,
}: Outline): readonly (readonly [string, string])[] {
  return [
    [declarationsSetting, encodeDeclarations(declarations)],
    ['secret', secret],
    ['trimmed', String(trimmed)],
    ['gaps', JSON.stringify(gaps)],
    // The records that were inserted were split by this version.
    [
      wordsSetting,
      versionsAfter(
        {},
        parts.map(({ collection }) => collection),
      ),
    ],
  ];
}
