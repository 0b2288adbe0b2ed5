/** Reads records and values from SQLite, to check them against a plan. */
import type { Database } from 'bun:sqlite';
import type { Identifier } from '../../../domain/sql-text.ts';
import type { Field, SetValue, SqliteValue } from '../../../domain/types/type.ts';
import type { Numbered, PlanReader } from '../../check-plan.ts';

const rowsAtOnce = 1000;

export function planReader(db: Database): PlanReader {
  function rows(statement: string): SqliteValue[][] {
    using prepared = db.prepare<unknown, []>(statement).safeIntegers(true);
    return prepared.values() as SqliteValue[][];
  }
  const unbound = (field: Field, value: SqliteValue | undefined): SetValue => field.sqlite.unbind(value ?? '');

  return {
    first: async (table: Identifier, without: Identifier | undefined, limit) =>
      rows(
        `select seq from ${table} ${without === undefined ? '' : `where ${without} is null`} order by seq limit ${limit}`,
      ).map(([recordId]) => String(recordId)),
    async *values(table: Identifier, column: Identifier, field) {
      for (let last = '0'; ; ) {
        const some = rows(
          `select seq, ${column} from ${table} where seq > ${Number(last)} and ${column} is not null order by seq limit ${rowsAtOnce}`,
        ).map(([recordId, value]): Numbered => [String(recordId), unbound(field, value)]);
        if (some.length === 0) return;
        yield some;
        last = some.at(-1)?.[0] ?? last;
      }
    },
    equal: async (table: Identifier, column: Identifier, field, limit) =>
      rows(
        `select min(seq), max(seq), ${column} from ${table} where ${column} is not null
         group by ${column} having count(*) > 1 order by 1 limit ${limit}`,
      ).map(([first, last, value]) => [String(first), String(last), unbound(field, value)] as const),
    present: async (table: Identifier, recordIds) =>
      new Set(
        rows(`select seq from ${table} where seq in (${recordIds.map(Number).join(', ')})`).map(([recordId]) =>
          String(recordId),
        ),
      ),
  };
}
