/** Parses and validates the parameters of a list in the production API. */

import { exactInteger } from '../../exact/integer.ts';
import type { Collection } from '../record/collection.ts';
import type { FieldValue } from '../types/type.ts';
import type { TargetOf } from '../where/field-path.ts';
import { readConditions } from '../where/read-parameter.ts';
import type { Where } from '../where/where.ts';
import { invalidParameter as invalid, parametersOf, repeatedParameter } from './parameters.ts';

export type Order = { readonly field: string; readonly descending: boolean };

/** The start of a page: after the record with these values of the sort fields and this number. */
export type Position = { readonly values: readonly FieldValue[]; readonly recordId: number };

export type Query = {
  /** The filters and `where`: all must hold. */
  readonly where: Where;
  readonly sort: readonly Order[];
  readonly limit: number;
  /** Undefined for all fields. */
  readonly fields: readonly string[] | undefined;
  readonly count: boolean;
  readonly cursor: string | undefined;
  /** References to expand, as sent. */
  readonly expand: string | undefined;
  /** Which index is used is asked for instead of records. */
  readonly explain: boolean;
};

/** Separated by commas, or repeated, as many client libraries do. */
const listParameters: readonly string[] = ['sort', 'fields', 'expand'];
/** Every other parameter is a filter. */
export const listNames = ['limit', 'cursor', 'sort', 'fields', 'count', 'expand', 'where', 'explain'];

const maxLimit = 1000;
const defaultLimit = 100;
/** A cursor compares every field with every field before it. */
export const maxSort = 10;

/**
 * `search` is the query string without the question mark. Throws `invalid_query`, with the valid values in its detail, and `forbidden` if a path
 * leads to records that the caller may not read.
 */
export function parseQuery(collection: Collection, search: string, targetOf: TargetOf): Query {
  const { columns } = collection;
  const filters: (readonly [string, string])[] = [];
  const own = new Map<string, string>();
  for (const parameter of parametersOf(search)) {
    const [name, value] = parameter;
    if (listNames.includes(name)) {
      const before = own.get(name);
      if (before !== undefined && !listParameters.includes(name)) throw repeatedParameter(name);
      own.set(name, before === undefined ? value : `${before},${value}`);
    } else filters.push(parameter);
  }
  const where = readConditions(collection, filters, own.get('where'), targetOf, listNames);

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
  const explain = own.get('explain');
  if (explain !== undefined && explain !== 'true') throw invalid('explain', 'true', explain);
  const limit = own.get('limit');
  return {
    where,
    sort: upToId(firstOfEach(sort)),
    limit: limit === undefined ? defaultLimit : readLimit(limit),
    fields: selected?.map(({ field }) => field),
    count: count !== undefined,
    cursor: own.get('cursor'),
    expand: own.get('expand'),
    explain: explain !== undefined,
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
