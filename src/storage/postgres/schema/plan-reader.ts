/** Reads what the check of a plan needs. */
import type { SQL } from 'bun';
import type { Identifier } from '../../../domain/sql-text.ts';
import type { Numbered, PlanReader } from '../../check-plan.ts';

const rowsAtOnce = 1000;

export function planReader(sql: SQL): PlanReader {
  const rows = (statement: string): Promise<(string | number | boolean)[][]> => sql.unsafe(statement).values();

  return {
    first: async (table: Identifier, without: Identifier | undefined, limit) =>
      (
        await rows(
          `select seq from ${table} ${without === undefined ? '' : `where ${without} is null`} order by seq limit ${limit}`,
        )
      ).map(([recordId]) => String(recordId)),
    async *values(table: Identifier, column: Identifier, { postgres }) {
      for (let last = '0'; ; ) {
        const found = await rows(
          `select seq, ${postgres.select(column)} from ${table}
           where seq > ${Number(last)} and ${column} is not null order by seq limit ${rowsAtOnce}`,
        );
        const some = found.map(([recordId, value = '']): Numbered => [String(recordId), postgres.unbind(value)]);
        if (some.length === 0) return;
        yield some;
        last = some.at(-1)?.[0] ?? last;
      }
    },
    equal: async (table: Identifier, column: Identifier, { postgres }, limit) =>
      (
        await rows(
          `select min(seq), max(seq), ${postgres.select(column)} from ${table} where ${column} is not null
           group by ${column} having count(*) > 1 order by 1 limit ${limit}`,
        )
      ).map(([first, last, value = '']) => [String(first), String(last), postgres.unbind(value)] as const),
    present: async (table: Identifier, recordIds) =>
      new Set(
        (await rows(`select seq from ${table} where seq in (${recordIds.map(Number).join(', ')})`)).map(([recordId]) =>
          String(recordId),
        ),
      ),
  };
}
