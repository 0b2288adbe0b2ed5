/** Reads records and values from SQLite, to check them against a plan. */
import type { Database } from 'bun:sqlite';
import type { Column } from '../../../domain/record/record.ts';
import { type Identifier, identifier } from '../../../domain/sql-text.ts';
import type { FieldValue, SqliteValue } from '../../../domain/types/type.ts';
import type { Equal, Numbered, PlanReader } from '../../plan-reader.ts';
import { columnOf } from '../../query-sql.ts';
import { equalGroups } from '../../violations.ts';
import { dialect } from '../statements/collection-sql.ts';

const rowsAtOnce = 1000;

export function planReader(db: Database): PlanReader {
  const isInMemory = db.filename.startsWith('file:');
  function rows(statement: string): (SqliteValue | null)[][] {
    using prepared = db.prepare<unknown, []>(statement).safeIntegers(true);
    return prepared.values() as (SqliteValue | null)[][];
  }
  const unbound = ({ field }: Column, value: SqliteValue | null | undefined): FieldValue =>
    value === null || value === undefined ? null : field.sqlite.unbind(value);

  return {
    first: async (table: Identifier, without: Identifier | undefined, limit) =>
      rows(
        `select seq from ${table} ${without === undefined ? '' : `where ${without} is null`} order by seq limit ${limit}`,
      ).map(([recordId]) => String(recordId)),
    async count(table: Identifier, having: Identifier | undefined) {
      const [found] = rows(`select count(${having ?? '*'}) from ${table}`);
      return Number(found?.[0] ?? 0);
    },
    async *rows(table: Identifier, columns: readonly Column[]) {
      const names: Identifier[] = columns.map(({ name }) => name);
      for (let last = '0'; ; ) {
        const some = rows(
          `select ${['seq', ...names].join(', ')} from ${table} where seq > ${Number(last)} order by seq limit ${rowsAtOnce}`,
        ).map(
          ([recordId, ...values]): Numbered => [
            String(recordId),
            columns.map((column, at) => unbound(column, values[at])),
          ],
        );
        if (some.length === 0) return;
        yield some;
        // A server plans on a serving thread. Only a database in memory cannot be written meanwhile.
        if (!isInMemory) await new Promise(setImmediate);
        last = some.at(-1)?.[0] ?? last;
      }
    },
    async equal(table, rule, limit) {
      const fields = rule.fields.map((field) => columnOf(table, field));
      const names: Identifier[] = fields.map(({ name }) => name);
      const found = rows(
        `select min(seq), max(seq), ${names.join(', ')} from ${identifier(table.name)} ${equalGroups(dialect, table, rule)}
         having count(*) > 1 order by 1 limit ${limit}`,
      );
      return found.map(
        ([first, last, ...values]): Equal => [
          String(first),
          String(last),
          fields.map((column, at) => unbound(column, values[at])),
        ],
      );
    },
    present: async (table: Identifier, recordIds) =>
      new Set(
        rows(`select seq from ${table} where seq in (${recordIds.map(Number).join(', ')})`).map(([recordId]) =>
          String(recordId),
        ),
      ),
  };
}
