/** A summary as one statement, and so as of one moment: PostgreSQL adds up exactly, doubles by their bits. */
import type { Collection } from '../../../domain/record/collection.ts';
import { type Identifier, identifier } from '../../../domain/sql-text.ts';
import { bounds, requireWithin } from '../../../domain/summary/bounds.ts';
import { fieldsOf, groupField } from '../../../domain/summary/columns.ts';
import {
  type Group,
  type GroupBy,
  type Summary,
  type Tallied,
  type Tally,
  talliesOf,
} from '../../../domain/summary/summary.ts';
import type { Field, FieldValue } from '../../../domain/types/type.ts';
import { columnOf, condition } from '../../query-sql.ts';
import type { Columns } from '../statements/columns.ts';
import { dialect } from '../statements/table-sql.ts';

export type SummaryStatement = { readonly text: string; readonly parameters: readonly string[] };

/** Columns before those of a group: the amounts of `bounds`. */
const amounts = 3;

/** Each row has the amounts, then a group: its values, its count and the members of its tallies. Without groups, or beyond the bounds, there is one row without a group. */
export function summaryStatement(collection: Collection, summary: Summary): SummaryStatement {
  const table = identifier(collection.name);
  const { sql: where, parameters } = condition(dialect, collection, summary.where, []);
  const groups = summary.groups.map((group, at) => `${groupSql(collection, group)} as _g${at}`);
  const names = summary.groups.map((_, at) => `_g${at}`);
  const by = names.length === 0 ? '' : `group by ${names.join(', ')}`;
  const tallied = talliesOf(summary).map((one) => ({ ...one, field: columnOf(collection, one.key).field }));
  const fields = tallied.map(({ key }, at) => `${groupSql(collection, { key })} as _c${at}`);
  const rows = `select ${[...groups, ...fields, '1 as _one'].join(', ')} from ${table} ${where}`;
  const groupFields = summary.groups.map((group) => groupField(group, fieldsOf(collection)));
  const doubles = tallied.flatMap(({ sum, field }, at) => (sum && field.precision === 'binary' ? [at] : []));
  const text = `
    with "_groups" as materialized (
      select ${[...names, `row(${names.join(', ')})::text as _key`, 'count(*) as _count'].join(', ')},
        ${[...tallied.flatMap(aggregates), `${valuesSql(tallied)} as _values`, `${bytesSql(groupFields, tallied)} as _bytes`].join(', ')}
      from (${rows}) as _rows ${by}
    ), "_total" as (
      select count(*) as _groups, coalesce(sum(_values), 0) as _values, coalesce(sum(_bytes), 0) as _bytes from "_groups"
    )
    select ${['_total._groups', '_total._values', '_total._bytes', ...groupFields.map(({ postgres }, at) => postgres.select(`_g${at}`)), '_count', ...tallied.flatMap((_, at) => membersSql(at, doubles.includes(at)))].join(', ')}
    from "_total" left join "_groups"
      on _total._groups <= ${bounds.groups} and _total._values <= ${bounds.values} and _total._bytes <= ${bounds.bytes}
    ${doubles.map((at) => `left join (${doubleSums(rows, names, at)}) as _d${at} on _d${at}._double_key = _key`).join('\n')}`;
  return { text, parameters };
}

/** Throws `invalid_query` beyond the bounds of a summary. */
export function groupsIn(rows: readonly Columns[], collection: Collection, summary: Summary): readonly Group[] {
  const [total = []] = rows;
  const [groups, values, bytes] = total.map(Number);
  requireWithin({ groups: groups ?? 0, values: values ?? 0, bytes: bytes ?? 0 });
  if (groups === 0) return [];
  const fieldOf = fieldsOf(collection);
  const groupFields = summary.groups.map((group) => groupField(group, fieldOf));
  const tallied = talliesOf(summary).map(({ key }) => fieldOf(key));
  return rows.map((row) => {
    const [count, ...members] = row.slice(amounts + groupFields.length);
    return {
      values: groupFields.map((field, at) => unbound(field, row[amounts + at])),
      count: Number(count),
      tallies: tallied.map((field, at) => tallyOf(field, members.slice(at * 5, at * 5 + 5))),
    };
  });
}

function tallyOf(field: Field, [count, sum, min, max, distinct]: Columns): Tally {
  return {
    count: Number(count),
    sum: unitsIn(String(sum ?? '0')),
    min: unbound(field, min),
    max: unbound(field, max),
    distinct: Number(distinct),
  };
}

/** A sum as digits, or that of doubles: their mantissas by exponents. */
function unitsIn(sum: string): bigint {
  if (!sum.includes(':')) return BigInt(sum.replace('.', ''));
  return sum.split(',').reduce((units, part) => {
    const [shift = '0', mantissas = '0'] = part.split(':');
    return units + (BigInt(mantissas) << BigInt(shift));
  }, 0n);
}

function unbound(field: Field, value: Columns[number] | undefined): FieldValue {
  return value === null || value === undefined ? null : field.postgres.unbind(value as string | number | boolean);
}

/** A column, or a part of it. Zeros of both signs are one group, and have one key. */
function groupSql(collection: Collection, { key, part = '' }: Pick<GroupBy, 'key' | 'part'>): string {
  const { field } = columnOf(collection, key);
  const name: Identifier = columnOf(collection, key).name;
  const found = field.parts?.[part];
  if (found !== undefined) return found.postgres.select(name);
  return field.precision === 'binary' ? `${name} + 0` : name;
}

type Column = Tallied & { readonly field: Field };

/** The members of a tally, in their order; null if they are not wanted. */
function aggregates({ sum, range, distinct, field }: Column, at: number): readonly string[] {
  const isExact = sum && field.precision !== 'binary';
  return [
    `count(_c${at}) as _n${at}`,
    `${isExact ? `sum(_c${at})::text` : 'null'} as _sum${at}`,
    `${range ? field.postgres.select(`min(_c${at})`) : 'null'} as _min${at}`,
    `${range ? field.postgres.select(`max(_c${at})`) : 'null'} as _max${at}`,
    `${distinct ? `count(distinct _c${at})` : '0'} as _distinct${at}`,
  ];
}

function membersSql(at: number, isDouble: boolean): readonly string[] {
  return [`_n${at}`, isDouble ? `_doubles${at}` : `_sum${at}`, `_min${at}`, `_max${at}`, `_distinct${at}`];
}

/** What `bounds` limits, as in SQLite. */
function valuesSql(tallied: readonly Column[]): string {
  return tallied.flatMap(({ distinct }, at) => (distinct ? [`count(distinct _c${at})`] : [])).join(' + ') || '0';
}

function bytesSql(groups: readonly Field[], tallied: readonly Column[]): string {
  const keys = groups.flatMap(({ postgres }, at) => {
    const size = postgres.size?.(`_g${at}`);
    return size === undefined ? [] : [`coalesce(${size}, 0)`];
  });
  const longest = tallied.flatMap(({ range, field: { postgres } }, at) => {
    const size = range ? postgres.size?.(`_c${at}`) : undefined;
    return size === undefined ? [] : [`coalesce(max(${size}), 0)`];
  });
  return [...keys, ...longest].join(' + ') || '0';
}

/**
 * A double is its mantissa, an integer of 53 bits, times a power of two: each group gets the sums of the mantissas with one exponent, as in `1023:-4503599627370496,1024:7`.
 * The exponents count from that of the smallest double.
 */
function doubleSums(rows: string, groups: readonly string[], at: number): string {
  const bits = `('x' || encode(float8send(_c${at}), 'hex'))::bit(64)::bigint`;
  const mantissa = '(_bits & 4503599627370495) + case when (_bits >> 52) & 2047 = 0 then 0 else 4503599627370496 end';
  return `
    select _double_key, string_agg(_shift || ':' || _mantissas, ',') as _doubles${at} from (
      select row(${groups.join(', ')})::text as _double_key, greatest((_bits >> 52) & 2047, 1) - 1 as _shift,
        sum(case when _bits < 0 then -(${mantissa}) else ${mantissa} end) as _mantissas
      from (select *, ${bits} as _bits from (${rows}) as _rows where _c${at} is not null) as _split
      group by 1, 2
    ) as _exponents group by 1`;
}
