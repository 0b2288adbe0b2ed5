import { describe, expect, test } from 'bun:test';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import { connection } from '../../../../test/support/data/made-database.ts';
import { begin, connectForTransfer, guarded } from './connections.ts';
import { copyRows } from './copy-rows.ts';

describe.skipIf(postgresUrl === undefined)('rows that are copied', () => {
  async function newTable() {
    const sql = await connectForTransfer(await newDatabase(), connection);
    await begin(sql, connection);
    await sql.unsafe('create table things (number int, name text)');
    return sql;
  }

  test('arrive as they are, in several batches', async () => {
    const sql = await newTable();
    const rows = [
      ['1', 'tab\t, line\n, return\r, backslash \\'],
      ['2', '\\N'],
      ['3', null],
      ['4', '\\.'],
    ] as const;
    await copyRows(sql, 'things (number, name)', [rows.slice(0, 1), [], rows.slice(1)], (row) => row);
    const found = await sql`select number::text, name from things order by number`.values();
    expect([...found].map((row) => [...row])).toEqual(rows.map((row) => [...row]));
    await sql.close();
  });

  test('fail with the reason of the database, or with that of their source', async () => {
    const sql = await newTable();
    const wrong = guarded(sql, () => copyRows(sql, 'things (number, name)', [[['x', 'y']]], (row) => row));
    await expect(wrong).rejects.toMatchObject({ errno: '22P02' });
    function* failing() {
      yield [['1', 'a']];
      throw new Error('the source is gone');
    }
    await expect(guarded(sql, () => copyRows(sql, 'things (number, name)', failing(), (row) => row))).rejects.toThrow(
      'the source is gone',
    );
    expect(await sql`select count(*)::int from things`.values()).toEqual([[0]]);
    await sql.close();
  });
});
