/** Checks or converts all values of a column. */
import type { SQL } from 'bun';
import { converted } from '../../../declarations/convert.ts';
import { identifier } from '../../../domain/sql-text.ts';
import type { Field } from '../../../domain/types/type.ts';
import { spelled } from '../../../exact/numeral.ts';
import { valueViolation } from '../../violations.ts';

const rowsAtOnce = 1000;

/** A value that does not fit is a StartError with its record. With `isConverted` the column gets the type of `to`. */
export async function convertColumn(
  sql: SQL,
  name: string,
  key: string,
  from: Field,
  to: Field,
  isConverted: boolean,
): Promise<void> {
  const [table, column] = [identifier(name), identifier(key)];
  const next = identifier(`${key}:new`);
  if (isConverted) await sql.unsafe(`alter table ${table} add column ${next} ${to.postgres.column}`);
  for (let last = '0'; ; ) {
    const rows: [string, string | number | boolean][] = await sql
      .unsafe(
        `select seq, ${from.postgres.select(column)} from ${table}
         where seq > $1::bigint and ${column} is not null order by seq limit ${rowsAtOnce}`,
        [last],
      )
      .values();
    if (rows.length === 0) break;
    const values = rows.map(([recordId, value]) => {
      const made = converted(from, to, from.postgres.unbind(value));
      if (typeof made !== 'object') return [recordId, spelled(made)] as const;
      throw valueViolation(`${name}.${key}`, recordId, made.refused);
    });
    if (isConverted) {
      await sql.unsafe(
        `update ${table} set ${next} = (_value->>1)::${to.postgres.name} from json_array_elements($1::text::json) as _value
         where seq = (_value->>0)::bigint`,
        [JSON.stringify(values)],
      );
    }
    last = String(rows.at(-1)?.[0]);
  }
  if (!isConverted) return;
  await sql.unsafe(`alter table ${table} drop column ${column}`);
  await sql.unsafe(`alter table ${table} rename column ${next} to ${column}`);
  if (!to.declared.optional) await sql.unsafe(`alter table ${table} alter column ${column} set not null`);
}
