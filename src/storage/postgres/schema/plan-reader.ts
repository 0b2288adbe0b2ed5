/** Reads what the check of a plan needs. */
import type { SQL } from 'bun';
import type { Column } from '../../../domain/record/record.ts';
import { type Identifier, identifier } from '../../../domain/sql-text.ts';
import type { FieldValue } from '../../../domain/types/type.ts';
import type { Equal, Numbered, PlanReader } from '../../plan-reader.ts';
import { columnOf } from '../../query-sql.ts';
import { equalGroups } from '../../violations.ts';
import { dialect } from '../statements/table-sql.ts';

type Value = string | number | boolean | null;

function selected(column: Column): string {
  const name: Identifier = column.name;
  return column.field.postgres.select(name);
}

const rowsAtOnce = 1000;

export function planReader(sql: SQL): PlanReader {
  const rows = (statement: string): Promise<Value[][]> => sql.unsafe(statement).values();
  const unbound = ({ field }: Column, value: Value | undefined): FieldValue =>
    value === null || value === undefined ? null : field.postgres.unbind(value);

  return {
    first: async (table: Identifier, without: Identifier | undefined, limit) =>
      (
        await rows(
          `select seq from ${table} ${without === undefined ? '' : `where ${without} is null`} order by seq limit ${limit}`,
        )
      ).map(([recordId]) => String(recordId)),
    async count(table: Identifier, having: Identifier | undefined) {
      const [found] = await rows(`select count(${having ?? '*'}) from ${table}`);
      return Number(found?.[0] ?? 0);
    },
    async *rows(table: Identifier, columns: readonly Column[]) {
      for (let last = '0'; ; ) {
        const found = await rows(
          `select ${['seq', ...columns.map(selected)].join(', ')} from ${table} where seq > ${Number(last)} order by seq limit ${rowsAtOnce}`,
        );
        const some = found.map(
          ([recordId, ...values]): Numbered => [
            String(recordId),
            columns.map((column, at) => unbound(column, values[at])),
          ],
        );
        if (some.length === 0) return;
        yield some;
        last = some.at(-1)?.[0] ?? last;
      }
    },
    async equal(table, rule, limit) {
      const fields = rule.fields.map((field) => columnOf(table, field));
      const found = await rows(
        `select min(seq), max(seq), ${fields.map(selected).join(', ')} from ${identifier(table.name)} ${equalGroups(dialect, table, rule)}
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
        (await rows(`select seq from ${table} where seq in (${recordIds.map(Number).join(', ')})`)).map(([recordId]) =>
          String(recordId),
        ),
      ),
  };
}
