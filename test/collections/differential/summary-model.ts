/** The model of summaries. */

import type { FieldDeclaration } from '../../../src/domain/record/declaration.ts';
import { parsed } from './json.ts';
import { type Expected, integer, invalidQuery, Model, type Query, type Row } from './model.ts';
import { comparisons, type Fields, kindOf, least, most, type Value, withPoint } from './types.ts';

export type SummaryQuery = Pick<Query, 'filters' | 'where'> & {
  readonly groups: readonly string[];
  readonly measures: readonly string[];
  readonly sort: readonly string[];
  readonly limit: number | undefined;
};

/** What is grouped by or measured, as if it were a field. */
type Column = { readonly declared: FieldDeclaration; read(rows: readonly Row[]): Value | null };
type Summed = { readonly names: readonly string[]; readonly rows: readonly (readonly (Value | null)[])[] };

/** A day or a moment as a part of it. */
export const parts: Readonly<Record<string, (date: Date) => Value>> = {
  year: (date) => BigInt(date.getUTCFullYear()),
  quarter: (date) => `${yearOf(date)}-Q${Math.ceil((date.getUTCMonth() + 1) / 3)}`,
  month: (date) => date.toISOString().slice(0, 7),
  week(date) {
    const day = 86_400_000;
    const monday = date.getTime() - ((date.getUTCDay() + 6) % 7) * day;
    const thursday = new Date(monday + 3 * day);
    const first = Date.parse(`${yearOf(thursday)}-01-01T00:00:00Z`);
    const week = 1 + Math.floor((thursday.getTime() - first) / (7 * day));
    return `${yearOf(thursday)}-W${String(week).padStart(2, '0')}`;
  },
  day: (date) => date.toISOString().slice(0, 10),
  hour: (date) => date.toISOString().slice(0, 13),
};
const yearOf = (date: Date) => String(date.getUTCFullYear()).padStart(4, '0');

/** Sums of doubles are infinite beyond the highest. */
const isRefused = (value: Value | null) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;

export function summarize(model: Model, name: string, query: SummaryQuery, having: string | undefined): Expected {
  const summed = groupsOf(model, name, query);
  if (summed === undefined) return invalidQuery;
  const { groups, measures, sort, limit } = query;
  const columns = columnsOf(model, name, query);
  const { names, rows } = summed;
  const measured = measuredModel(columns.slice(groups.length), measures);
  const json = having === undefined ? undefined : parsed(renamed(having));
  const isWanted = json === undefined ? () => true : measured.where('measures', json);
  if (isWanted === undefined || sort.some((one) => !names.includes(one.replace('-', '')))) return invalidQuery;
  if (rows.flat().some(isRefused)) return invalidQuery;
  const kept = rows.filter((row) => isWanted(asRow(measures, row.slice(groups.length))));
  const orders = [...sort, ...groups].map((key) => ({
    at: names.indexOf(key.replace('-', '')),
    sign: key.startsWith('-') ? -1 : 1,
  }));
  kept.sort((one, other) => {
    for (const { at, sign } of orders) {
      const [first = null, second = null] = [one[at], other[at]];
      if (first === null && second === null) continue;
      if (first === null || second === null) return first === null ? 1 : -1;
      const found = sign * (kindOf(columns[at]?.declared ?? integer).order?.(first, second) ?? 0);
      if (found !== 0) return found;
    }
    return 0;
  });
  const data = kept.slice(0, limit).map((row) => {
    const members = row.map((value, at) => {
      const { declared = integer } = columns[at] ?? {};
      return `"${names[at]}":${value === null ? 'null' : kindOf(declared).write(value, declared)}`;
    });
    return `{${members.join()}}`;
  });
  return { status: 200, text: `{"data":[${data.join()}],"groups":${kept.length}}` };
}

/** Random conditions on the measures need a model of their values; undefined where no number of 64 bits has one. */
export function measuredRows(model: Model, name: string, query: SummaryQuery): Model | undefined {
  const found = groupsOf(model, name, query);
  if (found === undefined) return undefined;
  const { groups, measures } = query;
  const values = found.rows.flat();
  if (values.some((value) => isRefused(value) || (typeof value === 'bigint' && (value < least || value > most))))
    return undefined;
  const measured = measuredModel(columnsOf(model, name, query).slice(groups.length), measures);
  for (const row of found.rows) measured.add('measures', asRow(measures, row.slice(groups.length)).values);
  return measured;
}

/** Names of fields have no point. */
const renamed = (json: string) => json.replaceAll(/"(\w+)\.(sum|avg|min|max|distinct)"/g, '"$1__$2"');
export const named = (json: string) => json.replaceAll(/"(\w+)__(sum|avg|min|max|distinct)"/g, '"$1.$2"');

/** A collection of the measures alone. */
class MeasuredModel extends Model {
  override columnsOf(name: string): Fields {
    return this.fieldsOf(name);
  }
}

function measuredModel(columns: readonly Column[], measures: readonly string[]): Model {
  const fields = Object.fromEntries(
    columns.map(({ declared }, at) => [measures[at]?.replace('.', '__') ?? '', declared]),
  );
  return new MeasuredModel({ measures: { singular: 'measure', fields } });
}

function asRow(measures: readonly string[], values: readonly (Value | null)[]): Row {
  const named = measures.map((name, at) => [name.replace('.', '__'), values[at] ?? null] as const);
  return { id: 0, version: 0, values: new Map(named) };
}

/** Undefined if the summary is refused. */
function groupsOf(model: Model, name: string, query: SummaryQuery): Summed | undefined {
  const { filters, where, groups, measures } = query;
  const found = model.select(name, { filters, where, sort: [], fields: undefined, expand: [] });
  const names = [...groups, ...measures];
  const isRight =
    groups.every((one) => groupNames(model, name).includes(one)) &&
    measures.every((one) => measureNames(model, name).includes(one)) &&
    new Set(names).size === names.length;
  if (found === undefined || !isRight || groups.length > 4 || measures.length > 10) return undefined;
  const columns = columnsOf(model, name, query);
  const keyOf = (row: Row) =>
    columns
      .slice(0, groups.length)
      .map(({ read }) => read([row]))
      .map((value) => (value === null ? '' : `=${JSON.stringify(String(value))}`))
      .join();
  const grouped = groups.length === 0 ? [found] : [...Map.groupBy(found, keyOf).values()];
  return { names, rows: grouped.map((rows) => columns.map(({ read }) => read(rows))) };
}

/** Every name that records can be grouped by, but for times, which are not known. */
export function groupNames(model: Model, name: string): readonly string[] {
  return known(model, name).flatMap(([key, { type }]) => {
    const own = Object.keys(parts).filter((part) => type === 'timestamp' || (type === 'date' && part !== 'hour'));
    return [key, ...own.map((part) => `${key}.${part}`)];
  });
}

export function measureNames(model: Model, name: string): readonly string[] {
  return ['count', ...known(model, name).flatMap(([key, one]) => operationsOf(one).map((op) => `${key}.${op}`))];
}

/** Those that have an order. */
function known(model: Model, name: string) {
  return Object.entries(model.columnsOf(name)).filter(
    ([key, one]) => !key.endsWith('ed_at') && kindOf(one).order !== undefined,
  );
}

function operationsOf({ type }: FieldDeclaration): readonly string[] {
  const isSummed = ['integer', 'number', 'decimal'].includes(type);
  const isCompared = comparisons.every((operator) => kindOf({ type }).operators.includes(operator));
  return [...(isSummed ? ['sum', 'avg'] : []), ...(isCompared ? ['min', 'max'] : []), 'distinct'];
}

function columnsOf(model: Model, name: string, { groups, measures }: SummaryQuery): readonly Column[] {
  const fields = model.columnsOf(name);
  const groupColumn = (one: string): Column => {
    const [key = '', part = ''] = one.split('.');
    const declared = fields[key] ?? integer;
    const valueIn = fieldReader(key);
    const of = parts[part];
    if (of === undefined) return { declared, read: ([row]) => (row === undefined ? null : valueIn(row)) };
    const read = ([row]: readonly Row[]) => {
      const value = row === undefined ? null : valueIn(row);
      return value === null ? null : of(new Date(String(value)));
    };
    return { declared: { type: part === 'year' ? 'integer' : 'text' }, read };
  };
  const measureColumn = (one: string): Column => {
    const [key = '', operation = 'count'] = one.split('.');
    return measured(operation, fields[key] ?? integer, fieldReader(key));
  };
  return [...groups.map(groupColumn), ...measures.map(measureColumn)];
}

/** Zero has no sign in a summary. */
const fieldReader = (key: string) => (row: Row) => {
  const value = key === 'id' ? BigInt(row.id) : key === 'version' ? BigInt(row.version) : (row.values.get(key) ?? null);
  return value === 0 ? 0 : value;
};

function measured(operation: string, declared: FieldDeclaration, valueIn: (row: Row) => Value | null): Column {
  const { type, scale = 0 } = declared;
  const { order = () => 0 } = kindOf(declared);
  const set = (rows: readonly Row[]) => rows.map(valueIn).filter((value) => value !== null);
  const orNull = (one: FieldDeclaration, of: (values: Value[]) => Value) => ({
    declared: { ...one, optional: true },
    read: (rows: readonly Row[]) => (set(rows).length === 0 ? null : of(set(rows))),
  });
  switch (operation) {
    case 'count':
      return { declared: integer, read: (rows) => BigInt(rows.length) };
    case 'distinct':
      return { declared: integer, read: (rows) => BigInt(new Set(set(rows)).size) };
    case 'min':
      return orNull({ type, scale }, (values) => values.sort(order)[0] ?? '');
    case 'max':
      return orNull({ type, scale }, (values) => values.sort(order).at(-1) ?? '');
    case 'sum':
      if (type === 'number') return orNull({ type }, (values) => nearest(doubles(values), 1n));
      return orNull({ type, scale }, (values) => total(values as bigint[]));
    default:
      if (type === 'number') return orNull({ type }, (values) => nearest(doubles(values), BigInt(values.length)));
      return orNull({ type: 'decimal', scale: scale + 7 }, (values) =>
        average(total(values as bigint[]) * 10n ** 7n, BigInt(values.length)),
      );
  }
}

const total = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n);

/** Half to even. */
function average(sum: bigint, count: bigint): bigint {
  const [text, tenths] = [withPoint((sum * 10n) / count, 1), (sum * 10n) % count];
  const [whole = '', tenth = ''] = text.replace('-', '').split('.');
  const isHalf = tenth === '5' && tenths === 0n;
  const isUp = Number(tenth) >= 5 && !(isHalf && BigInt(whole) % 2n === 0n);
  return (sum < 0n ? -1n : 1n) * (BigInt(whole) + (isUp ? 1n : 0n));
}

/** The exact sum times 2^1074, by the digits of doubles in base 2. */
function doubles(values: readonly Value[]): bigint {
  return total(
    values.map((value) => {
      const [whole = '', fraction = ''] = Math.abs(value as number)
        .toString(2)
        .split('.');
      return BigInt(`0b${whole}${fraction.padEnd(1074, '0')}`) * (Number(value) < 0 ? -1n : 1n);
    }),
  );
}

/** As JavaScript reads a number with many digits; the last one says that more of them follow. */
function nearest(sum: bigint, count: bigint): number {
  const digits = sum * 5n ** 1074n * 10n ** 40n;
  const rest = digits % count === 0n ? '0' : '1';
  return Number(`${digits / count}${rest}e-${1074 + 41}`) + 0;
}
