import { Database } from 'bun:sqlite';
import { expect, spyOn, test } from 'bun:test';
import { PreparedStatements } from './prepared-statements.ts';

test('the statements that were used last stay prepared, and no more than that', () => {
  using db = new Database(':memory:');
  const prepared = spyOn(db, 'prepare');
  const statements = new PreparedStatements(db);
  const value = (n: number) => statements.of(`select ${n} as n`).get()?.n;
  for (let n = 0; n < 200; n++) expect(value(n)).toBe(BigInt(n));
  value(0);
  value(200);
  expect(prepared).toHaveBeenCalledTimes(201);
  value(0);
  expect(prepared).toHaveBeenCalledTimes(201);
  // The one that was not used for the longest time.
  value(1);
  expect(prepared).toHaveBeenCalledTimes(202);
  statements.close();
  expect(() => db.close(true)).not.toThrow();
});
