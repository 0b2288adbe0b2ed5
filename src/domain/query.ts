/** Parses and validates the parameters of a list in the production API. */
import type { Collection } from './collection.ts';
import type { FieldValue } from './encode.ts';
import { exactInteger } from './integer.ts';
import { invalidParameter as invalid, parametersOf, repeatedParameter, unknownParameter } from './parameters.ts';
import type { ColumnKind } from './record.ts';

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains' | 'starts_with';

export type Filter = { readonly field: string; readonly operator: Operator; readonly values: readonly FieldValue[] };
export type Order = { readonly field: string; readonly descending: boolean };

/** The start of a page: after the record with these values of the sort fields and this number. */
export type Position = { readonly values: readonly FieldValue[]; readonly seq: number };

export type Query = {
  readonly filters: readonly Filter[];
  readonly sort: readonly Order[];
  readonly limit: number;
  /** Undefined for all fields. */
  readonly fields: readonly string[] | undefined;
  readonly count: boolean;
  readonly cursor: string | undefined;
};

const comparisons: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];
export const operators: Readonly<Record<ColumnKind, readonly Operator[]>> = {
  integer: comparisons,
  number: comparisons,
  time: comparisons,
  text: [...comparisons, 'contains', 'starts_with'],
};

/** Separated by commas, or repeated, as many client libraries do. */
const listParameters: readonly string[] = ['sort', 'fields'];
/** Every other parameter is a filter. */
const ownNames = ['limit', 'cursor', 'sort', 'fields', 'count'];

const maxLimit = 1000;
const defaultLimit = 100;
/** Values in all filters together: more than a client needs, fewer than the limit of any engine. */
export const maxConditions = 100;

/**
 * `search` is the query string without the question mark. Throws `invalid_query`, with the valid values in its detail.
 */
export function parseQuery(collection: Collection, search: string): Query {
  const { columns } = collection;
  const names = [...columns.keys()].join(', ');
  const filters: Filter[] = [];
  const own = new Map<string, string>();
  for (const [name, value] of parametersOf(search)) {
    if (ownNames.includes(name)) {
      const before = own.get(name);
      if (before !== undefined && !listParameters.includes(name)) throw repeatedParameter(name);
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

  const parseFields = (parameter: string, list: string) =>
    list.split(',').map((entry) => {
      const field = entry.replace(/^-/, '');
      if (!columns.has(field)) throw invalid(parameter, `names out of ${names}`, field);
      return { field, descending: entry.startsWith('-') };
    });
  const sort = own.has('sort') ? parseFields('sort', own.get('sort') ?? '') : [];
  const selected = own.has('fields') ? parseFields('fields', own.get('fields') ?? '') : undefined;
  if (selected?.some(({ descending }) => descending))
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
    fields: selected?.map(({ field }) => field),
    count: count !== undefined,
    cursor: own.get('cursor'),
  };
}

/** A repeated field has no effect: records that are equal in it stay equal, in either direction. */
function firstOfEach(sort: readonly Order[]): readonly Order[] {
  return sort.filter(({ field }, at) => sort.findIndex((one) => one.field === field) === at);
}

/** An id is unique, so sort fields after it have no effect. */
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
  // A new kind is a compile error here.
  kind satisfies 'time';
  const moment = momentOf(text);
  if (moment === undefined)
    throw invalid(name, `a time from ${firstMoment} to ${lastMoment}, such as 2026-11-14T23:59:59.123Z`, text);
  return moment;
}

/** PostgreSQL has no year 0, and a year of five digits does not sort as text. */
const firstMoment = '0001-01-01T00:00:00.000Z';
const lastMoment = '9999-12-31T23:59:59.999Z';
/** RFC 3339. Records have milliseconds; further digits, which Python sends, are cut. */
const time = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i;

/** UTC with milliseconds; undefined if the text is not a time within the bounds. */
function momentOf(text: string): string | undefined {
  const day = time.exec(text)?.[1];
  const ms = Date.parse(text.toUpperCase().replace(/(\.\d{3})\d+/, '$1'));
  // Date parses February 30 as March 2.
  if (day === undefined || Number.isNaN(ms) || !new Date(day).toISOString().startsWith(day)) return undefined;
  const moment = new Date(ms).toISOString();
  // Years after 9999 begin with a plus, and years before 0 with a minus.
  return /^\d/.test(moment) && moment >= firstMoment ? moment : undefined;
}
