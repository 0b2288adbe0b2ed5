/** Records as COPY takes them. */
import type { SQL } from 'bun';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { spelled } from '../../../exact/numeral.ts';
import { vectorOf } from '../../postgres/statements/words.ts';
import { wordsColumn } from '../../word-index.ts';
import type { Field } from './copy-rows.ts';

/** The table with its columns, and the values of a record in the same order. */
export function recordRow({ name, fields, searched }: Collection) {
  const keys = Object.keys(fields);
  const columns = ['seq', ...keys, 'version', 'created_at', 'updated_at', ...searched.map(wordsColumn)];
  return {
    into: `${identifier(name)} (${columns.map(identifier).join(', ')})`,
    fields({ recordId, version, createdAt, updatedAt, row }: Stored): readonly Field[] {
      const values: Field[] = [String(recordId)];
      for (const key of keys) {
        const value = row[key] ?? null;
        values.push(value === null ? null : spelled(value));
      }
      values.push(String(version), createdAt, updatedAt);
      for (const key of searched) {
        const text = row[key] ?? null;
        values.push(text === null ? null : vectorOf(String(text)));
      }
      return values;
    },
  };
}

/** For `requireConstraints`. */
export async function askPair(sql: SQL, query: string): Promise<readonly [bigint, bigint] | undefined> {
  const [row] = await sql.unsafe(query).values();
  return row === undefined ? undefined : [BigInt(row[0]), BigInt(row[1])];
}
