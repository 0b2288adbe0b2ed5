import { describe, expect, test } from 'bun:test';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import { begin, connectForTransfer, guarded } from './connections.ts';

const options = { timeoutMs: 10_000, prepare: true };

describe.skipIf(postgresUrl === undefined)('a guarded part of a transaction', () => {
  test('that fails is undone, and the transaction goes on', async () => {
    const sql = await connectForTransfer(await newDatabase(), options);
    await begin(sql, options);
    await expect(guarded(sql, async () => sql`select 1 / 0`)).rejects.toMatchObject({ errno: '22012' });
    expect(await guarded(sql, async () => sql`select 2`.values())).toEqual([[2]]);
    await sql.close();
  });

  test('whose connection is lost fails with the reason', async () => {
    const sql = await connectForTransfer(await newDatabase(), options);
    await begin(sql, options);
    const lost = guarded(sql, async () => sql`select pg_terminate_backend(pg_backend_pid())`);
    await expect(lost).rejects.toMatchObject({ errno: '57P01' });
    await sql.close();
  });
});
