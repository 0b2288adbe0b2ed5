/** Values of every type of column: copied in the binary format, they are those that PostgreSQL reads from text. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import { types } from '../../../domain/types/all-types.ts';
import type { SetValue } from '../../../domain/types/type.ts';
import { spelled } from '../../../exact/numeral.ts';
import { BinaryRows, columnsOf, endOfRows } from './binary-rows.ts';
import { writeValueOf } from './binary-value.ts';

const compiled = (type: string, options = {}) => {
  const found = types[type];
  if (found === undefined) throw new Error(`there is no type ${type}`);
  return found.compile({ type, ...options });
};

const cases: readonly (readonly [type: string, options: object, values: readonly SetValue[]])[] = [
  ['text', {}, ['', 'plain', 'Zoë 😀 \\ \t\n"\'', 'é'.repeat(3000)]],
  ['integer', {}, [0n, -1n, 1n, 4294967296n, -9223372036854775808n, 9223372036854775807n]],
  ['number', {}, [0, -0, 0.1, -1e-320, 1.7976931348623157e308, 1e21]],
  ['boolean', {}, [true, false]],
  ['date', {}, ['0001-01-01', '0099-12-31', '1999-12-31', '2000-01-01', '2024-02-29', '9999-12-31']],
  [
    'timestamp',
    {},
    ['0001-01-01T00:00:00.000Z', '1999-12-31T23:59:59.999Z', '2026-11-16T11:51:04.123Z', '9999-12-31T23:59:59.999Z'],
  ],
  ['json', {}, ['null', '{"a":[1e400,"\\u00e9"]}']],
  ['decimal', { scale: 0 }, ['0', '7', '-10000', '100000000', '9223372036854775807', '-9223372036854775808']],
  ['decimal', { scale: 2 }, ['0.00', '0.01', '-0.10', '12.34', '10000.00', '92233720368547758.07']],
  ['decimal', { scale: 5 }, ['0.00001', '0.10000', '1.00010', '-12345.67890']],
  ['decimal', { scale: 9 }, ['0.000000001', '9223372036.854775807', '10000.000000000']],
];

describe.skipIf(postgresUrl === undefined)('the binary format', () => {
  let sql: SQL;
  beforeAll(async () => {
    sql = new SQL(await newDatabase(), { max: 1 });
  });
  afterAll(() => sql.close());

  test.each(cases)('of %s %j', async (type, options, values) => {
    const field = compiled(type, options);
    const write = writeValueOf(field);
    await sql.unsafe('drop table if exists _values');
    await sql.unsafe(`create table _values (place bigint, value ${field.postgres.column})`);
    const rows = new BinaryRows();
    for (const [place, value] of [...values, null].entries()) {
      rows.row(2);
      rows.int64(place);
      if (value === null) rows.null();
      else write(rows, value);
    }
    const writer = sql.unsafe('copy _values from stdin (format binary)').writable().getWriter();
    await writer.write(rows.take());
    await writer.write(endOfRows);
    await writer.close();
    const stored = await sql.unsafe('select value::text from _values order by place').values();
    const expected = [];
    for (const value of values) {
      const [row] = await sql.unsafe(`select $1::text::${field.postgres.name}::text`, [spelled(value)]).values();
      expected.push(row);
    }
    expect(stored.map(([text]: unknown[]) => text)).toEqual([...expected.map(([text]: unknown[]) => text), null]);
  });
});

test('rows are the same, however many are taken at a time', () => {
  const once = new BinaryRows();
  const often = new BinaryRows();
  const same = columnsOf((columns) => columns.text('same'));
  const taken: Uint8Array[] = [];
  for (let n = 0; n < 1000; n++) {
    once.text('same');
    once.int64(n * 2 ** 40 - 2 ** 50);
    often.same(same);
    often.int64(BigInt(n * 2 ** 40 - 2 ** 50));
    if (n % 300 === 0) taken.push(often.take());
  }
  taken.push(often.take());
  expect(Buffer.concat(taken).equals(once.take())).toBe(true);
});
