/** Statements of one collection, and the conversion of its rows to records. */
import type { Collection } from '../../domain/collection.ts';
import type { Stored } from '../../domain/record.ts';
import type { Row } from '../../domain/row.ts';
import { dialectOf, readStatements } from './sql.ts';

/** In declared order. An int8 arrives as decimal digits, and is encoded unchanged. */
export type Columns = (string | number)[];

export type Table = ReturnType<typeof openTable>;

export function openTable(collection: Collection) {
  const keys = Object.keys(collection.fields);
  function encode(row: Columns): string {
    const record: Record<string, string | number> = {};
    for (let index = 0; index < keys.length; index++) record[keys[index] ?? ''] = row[index] ?? '';
    return collection.encode(record as unknown as Row);
  }
  function decode(seq: number, stored: Columns): Stored {
    const [version, createdAt, updatedAt] = stored.slice(keys.length);
    return collection.record.decode({ seq, version, createdAt, updatedAt }, stored);
  }
  return { ...readStatements(collection), dialect: dialectOf(collection), encode, decode };
}

/** Whether rows follow the first `limit`. `rows` were read with a limit of `limit + 1` rows, and one on bytes. */
export function hasMore(rows: readonly Columns[], limit: number): boolean {
  return rows.length > limit || Number(rows[0]?.at(-1) ?? 0) > rows.length;
}
