/** The functions that find records for a transaction, in a bounded time. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import { maxExamined } from '../../../domain/store/operation.ts';
import { matchingFunction } from './matching-functions.ts';

describe.skipIf(postgresUrl === undefined)('on PostgreSQL', () => {
  let sql: SQL;
  beforeAll(async () => {
    sql = new SQL({ url: await newDatabase(), max: 1 });
    await sql.unsafe(matchingFunction.statement('public'));
    await sql.unsafe('create table notes (seq bigint primary key, title text)');
    await sql.unsafe("insert into notes select n, 'x' from generate_series(1, 3) as n");
  });
  afterAll(() => sql.close());

  async function found(spent: number): Promise<unknown> {
    const search = JSON.stringify({ sql: "title = 'x'", index: 'true', values: '{}', order: 'seq' });
    const [row] = await sql.unsafe(`select ${matchingFunction.name}('notes', $1::text::json, $2) as found`, [
      search,
      spent,
    ]);
    return JSON.parse(row.found);
  }

  test('the time of a search of few records counts a little', async () => {
    const { count, ids, spent } = (await found(1)) as { count: number; ids: number[]; spent: number };
    expect({ count, ids }).toEqual({ count: 3, ids: [1, 2, 3] });
    expect(spent).toBeGreaterThan(1);
    expect(spent).toBeLessThan(maxExamined.ms);
  });

  test('without time left, it is refused', async () => {
    expect(await found(maxExamined.ms)).toBeNull();
  });
});
