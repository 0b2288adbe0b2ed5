/** The parameters of a list in the production API, checked. */
import type { Collection } from './collection.ts';
import type { FieldValue } from './encode.ts';
import { exactInteger } from './integer.ts';
import { invalidParameter as invalid, parametersOf, repeatedParameter, unknownParameter } from './parameters.ts';
import type { ColumnKind } from './record.ts';

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains' | 'starts_with';

export type Filter = { readonly field: string; readonly operator: Operator; readonly values: readonly FieldValue[] };
export type Order = { readonly field: string; readonly descending: boolean };

/** Where a page begins: behind the record with these values of the sorted fields, and this number. */
export type Position = { readonly values: readonly FieldValue[]; readonly seq: number };

export type Query = {
  readonly filters: readonly Filter[];
  readonly sort: readonly Order[];
  readonly limit: number;
  /** Undefined for all of them. */
  readonly fields: readonly string[] | undefined;
  readonly count: boolean;
  readonly cursor: string | undefined;
};

const compared: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];
export const operators: Readonly<Record<ColumnKind, readonly Operator[]>> = {
  integer: compared,
  number: compared,
  time: compared,
  text: [...compared, 'contains', 'starts_with'],
};

/** Separated by commas, or given several times, as many client libraries do. */
const lists: readonly string[] = ['sort', 'fields'];
/** Every other parameter is a filter. */
const ownNames = ['limit', 'cursor', 'sort', 'fields', 'count'];

const maxLimit = 1000;
const defaultLimit = 100;
/** More than anybody asks for, and fewer than any engine takes. */
export const maxConditions = 100;

/** `search` is what follows the question mark. Throws `invalid_query`, which says what there is. */
export function parseQuery(collection: Collection, search: string): Query {
  const { columns } = collection;
  const names = [...columns.keys()].join(', ');
  const filters: Filter[] = [];
  const own = new Map<string, string>();
  for (const [name, value] of parametersOf(search)) {
    if (ownNames.includes(name)) {
      const before = own.get(name);
      if (before !== undefined && !lists.includes(name)) throw repeatedParameter(name);
      own.set(name, before === undefined ? value : `${before},${value}`);
      continue;
    }
    const [, field = '', operator = 'eq'] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(name) ?? [];
    const kind = columns.get(field);
    if (kind === undefined) throw unknownParameter(name, [...ownNames, ...columns.keys()]);
    if (!operators[kind].includes(operator as Operator))
      throw invalid(name, `an operator of ${field} (${operators[kind].join(', ')})`, operator);
    const filter = readFilter(name, field, kind, operator as Operator, value);
    const same = operator === 'in' ? filters.findIndex((one) => one.field === field && one.operator === 'in') : -1;
    if (same < 0) filters.push(filter);
    else filters[same] = { ...filter, values: [...(filters[same]?.values ?? []), ...filter.values] };
  }
  const conditions = filters.reduce((sum, { values }) => sum + values.length, 0);
  if (conditions > maxConditions)
    throw invalid('filters', `at most ${maxConditions} values together`, String(conditions));

  const known = (parameter: string, list: string) =>
    list.split(',').map((entry) => {
      const field = entry.replace(/^-/, '');
      if (!columns.has(field)) throw invalid(parameter, `names out of ${names}`, field);
      return { field, descending: entry.startsWith('-') };
    });
  const sort = own.has('sort') ? known('sort', own.get('sort') ?? '') : [];
  const shown = own.has('fields') ? known('fields', own.get('fields') ?? '') : undefined;
  if (shown?.some(({ descending }) => descending))
    throw invalid('fields', 'names without a minus sign', own.get('fields') ?? '');
  const count = own.get('count');
  if (count !== undefined && count !== 'exact') throw invalid('count', 'exact', count);
  const limit = own.get('limit') ?? String(defaultLimit);
  if (!/^\d+$/.test(limit) || typeof exactInteger(limit) !== 'bigint' || Number(limit) < 1)
    throw invalid('limit', `a whole number from 1 to ${maxLimit}`, limit);
  return {
    filters,
    sort: upToId(firstOfEach(sort)),
    limit: Math.min(Number(limit), maxLimit),
    fields: shown?.map(({ field }) => field),
    count: count !== undefined,
    cursor: own.get('cursor'),
  };
}

/** Records that are equal in a field stay so when they are sorted by it again, whichever way. */
function firstOfEach(sort: readonly Order[]): readonly Order[] {
  return sort.filter(({ field }, at) => sort.findIndex((one) => one.field === field) === at);
}

/** A number is never shared, so nothing that is sorted behind it counts. */
function upToId(sort: readonly Order[]): readonly Order[] {
  const at = sort.findIndex(({ field }) => field === 'id');
  return at < 0 ? sort : sort.slice(0, at + 1);
}

function readFilter(name: string, field: string, kind: ColumnKind, operator: Operator, text: string): Filter {
  const texts = operator === 'in' ? text.split(',') : [text];
  return { field, operator, values: texts.map((one) => readValue(name, kind, one)) };
}

function readValue(name: string, kind: ColumnKind, text: string): FieldValue {
  if (kind === 'text') {
    if (!text.isWellFormed() || text.includes('\0')) throw invalid(name, 'text without U+0000', text.toWellFormed());
    return text;
  }
  if (kind === 'integer') {
    const exact = exactInteger(text);
    if (typeof exact === 'bigint') return exact;
    throw invalid(name, 'a 64-bit integer', text);
  }
  if (kind === 'number') {
    const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isFinite(number)) return number;
    throw invalid(name, 'a number', text);
  }
  const moment = momentOf(text);
  if (moment === undefined)
    throw invalid(name, `a time from ${firstMoment} to ${lastMoment}, such as 2026-11-14T23:59:59.123Z`, text);
  return moment;
}

/** PostgreSQL has no year 0, and a year of five digits does not sort as text. */
const firstMoment = '0001-01-01T00:00:00.000Z';
const lastMoment = '9999-12-31T23:59:59.999Z';
/** As RFC 3339 has it. Records have milliseconds; further digits, as Python sends them, are cut. */
const time = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i;

/** In UTC with milliseconds; undefined where the text is no time within the bounds. */
function momentOf(text: string): string | undefined {
  const day = time.exec(text)?.[1];
  const ms = Date.parse(text.toUpperCase().replace(/(\.\d{3})\d+/, '$1'));
  // Date takes February 30 for March 2.
  if (day === undefined || Number.isNaN(ms) || !new Date(day).toISOString().startsWith(day)) return undefined;
  const moment = new Date(ms).toISOString();
  // What lies beyond the year 9999 begins with a plus, and what lies before the year 0 with a minus.
  return /^\d/.test(moment) && moment >= firstMoment ? moment : undefined;
}
