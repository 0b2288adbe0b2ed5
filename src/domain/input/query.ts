/** Parses and validates the parameters of a list in the production API. */

import { exactInteger } from '../../exact/integer.ts';
import type { Collection } from '../record/collection.ts';
import type { Field, FieldValue, Operator } from '../types/type.ts';
import { invalidParameter as invalid, parametersOf, repeatedParameter, unknownParameter } from './parameters.ts';

/** The value of `is` is `null` or `set`. */
export type Filter = { readonly field: string; readonly operator: Operator; readonly values: readonly FieldValue[] };
export type Order = { readonly field: string; readonly descending: boolean };

/** The start of a page: after the record with these values of the sort fields and this number. */
export type Position = { readonly values: readonly FieldValue[]; readonly recordId: number };

export type Query = {
  readonly filters: readonly Filter[];
  readonly sort: readonly Order[];
  readonly limit: number;
  /** Undefined for all fields. */
  readonly fields: readonly string[] | undefined;
  readonly count: boolean;
  readonly cursor: string | undefined;
  /** References to expand, as sent. */
  readonly expand: string | undefined;
};

/** Separated by commas, or repeated, as many client libraries do. */
const listParameters: readonly string[] = ['sort', 'fields', 'expand'];
/** Every other parameter is a filter. */
export const listNames = ['limit', 'cursor', 'sort', 'fields', 'count', 'expand'];

const maxLimit = 1000;
const defaultLimit = 100;
/** Values in all filters together: more than a client needs, fewer than the limit of any engine. */
export const maxConditions = 100;

/** A cursor compares every field with every field before it. */
export const maxSort = 10;

/** The operators that a field can be filtered by. */
export function operatorsOf({ filter: { operators }, declared }: Field): readonly Operator[] {
  return declared.optional ? [...operators, 'is'] : operators;
}

/**
 * `search` is the query string without the question mark. Throws `invalid_query`, with the valid values in its detail.
 */
export function parseQuery(collection: Collection, search: string): Query {
  const { columns } = collection;
  const filters: Filter[] = [];
  const own = new Map<string, string>();
  for (const [name, value] of parametersOf(search)) {
    if (listNames.includes(name)) {
      const before = own.get(name);
      if (before !== undefined && !listParameters.includes(name)) throw repeatedParameter(name);
      own.set(name, before === undefined ? value : `${before},${value}`);
      continue;
    }
    const [, key = '', operator = 'eq'] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(name) ?? [];
    const field = columns.get(key)?.field;
    if (field === undefined) throw unknownParameter(name, [...listNames, ...columns.keys()]);
    const operators = operatorsOf(field);
    if (!operators.includes(operator as Operator)) {
      throw operators.length === 0
        ? invalid(name, `no filter: ${key} has none`, operator)
        : invalid(name, `an operator of ${key} (${operators.join(', ')})`, operator);
    }
    const filter = readFilter(name, key, field, operator as Operator, value);
    const same = operator === 'in' ? filters.findIndex((one) => one.field === key && one.operator === 'in') : -1;
    if (same < 0) filters.push(filter);
    else filters[same] = { ...filter, values: [...(filters[same]?.values ?? []), ...filter.values] };
  }
  const conditions = filters.reduce((sum, { values }) => sum + values.length, 0);
  if (conditions > maxConditions)
    throw invalid('filters', `at most ${maxConditions} values together`, String(conditions));

  const parseFields = (parameter: string, list: string, known: readonly string[]) =>
    list.split(',').map((entry) => {
      const field = entry.replace(/^-/, '');
      if (!known.includes(field)) throw invalid(parameter, `names out of ${known.join(', ')}`, field);
      return { field, descending: entry.startsWith('-') };
    });
  const sort = own.has('sort') ? parseFields('sort', own.get('sort') ?? '', sortable(collection)) : [];
  if (sort.length > maxSort) throw invalid('sort', `at most ${maxSort} fields`, String(sort.length));
  const selected = own.has('fields') ? parseFields('fields', own.get('fields') ?? '', [...columns.keys()]) : undefined;
  if (selected?.some(({ descending }) => descending))
    throw invalid('fields', 'names without a minus sign', own.get('fields') ?? '');
  const count = own.get('count');
  if (count !== undefined && count !== 'exact') throw invalid('count', 'exact', count);
  const limit = own.get('limit');
  return {
    filters,
    sort: upToId(firstOfEach(sort)),
    limit: limit === undefined ? defaultLimit : readLimit(limit),
    fields: selected?.map(({ field }) => field),
    count: count !== undefined,
    cursor: own.get('cursor'),
    expand: own.get('expand'),
  };
}

function readLimit(text: string): number {
  if (!/^\d+$/.test(text) || typeof exactInteger(text) !== 'bigint' || Number(text) < 1)
    throw invalid('limit', `a whole number from 1 to ${maxLimit}`, text);
  return Math.min(Number(text), maxLimit);
}

/** The fields that a list can be sorted by. */
export function sortable({ columns }: Collection): string[] {
  return [...columns].filter(([, { field }]) => field.isOrdered).map(([key]) => key);
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

function readFilter(name: string, key: string, { filter }: Field, operator: Operator, text: string): Filter {
  if (operator === 'is') {
    if (text !== 'null' && text !== 'set') throw invalid(name, 'null or set', text);
    return { field: key, operator, values: [text] };
  }
  const texts = operator === 'in' ? text.split(',') : [text];
  const values = texts.map((one) => {
    const value = filter.parse(one);
    if (value === undefined) throw invalid(name, filter.expected, one.toWellFormed());
    return value;
  });
  return { field: key, operator, values };
}
