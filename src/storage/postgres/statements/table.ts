/** Statements of one collection, and the conversion of its rows to records. */
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import type { FieldValue } from '../../../domain/types/type.ts';
import type { Columns } from './columns.ts';
import { pageWriter } from './page-text.ts';
import { readStatements } from './table-sql.ts';

export type Table = ReturnType<typeof openTable>;

export function openTable(collection: Collection) {
  const fields = Object.entries(collection.fields);
  function rowOf(columns: Columns): Record<string, FieldValue> {
    const row: Record<string, FieldValue> = {};
    for (const [index, [key, { postgres }]] of fields.entries()) {
      const value = columns[index] ?? null;
      row[key] = value === null ? null : postgres.unbind(value);
    }
    return row;
  }
  function decode(recordId: number, stored: Columns): Stored {
    const [version, createdAt, updatedAt] = stored.slice(fields.length);
    return {
      recordId,
      version: Number(version),
      createdAt: momentOf(createdAt),
      updatedAt: momentOf(updatedAt),
      row: rowOf(stored),
    };
  }
  return {
    ...readStatements(collection),
    collection,
    encode: (columns: Columns) => collection.encode(rowOf(columns)),
    pageText: pageWriter(collection),
    /** The index of the version in a row that begins with the sequence number. */
    versionAt: fields.length + 1,
    decode,
  };
}

/** The tables of all collections. */
export function openTables(collections: readonly Collection[]): (collection: Collection) => Table {
  const tables = new Map(collections.map((collection) => [collection.name, openTable(collection)]));
  return ({ name }) => {
    const found = tables.get(name);
    if (found === undefined) throw new Error(`the store was opened without the collection ${name}`);
    return found;
  };
}

/** UTC with milliseconds. The database takes longer to write a text than this thread. */
function momentOf(column: unknown): string {
  if (column instanceof Date) return column.toISOString();
  throw new Error('a time is missing in a row');
}

/** Whether rows follow the first `limit`. `rows` were read with a limit of `limit + 1` rows, and one on bytes. */
export function hasMore(rows: readonly Columns[], limit: number): boolean {
  return rows.length > limit || Number(rows[0]?.at(-1) ?? 0) > rows.length;
}
