/** One collection's statements, and its rows as records. */
import type { Collection } from '../../domain/collection.ts';
import type { Stored } from '../../domain/record.ts';
import type { Row } from '../../domain/row.ts';
import { dialectOf, readStatements } from './sql.ts';

/** In the declared order; an int8 is its digits, which are written as they are. */
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

/** For rows that were read with a limit on their bytes, and one more than `limit`. */
export function hasMore(rows: readonly Columns[], limit: number): boolean {
  return rows.length > limit || Number(rows[0]?.at(-1) ?? 0) > rows.length;
}
