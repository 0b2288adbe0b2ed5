/** The options of a list as a query string. */
import { spelled } from '../exact/numeral.ts';
import { invalidArgument } from './send/failure.ts';

export type Query = {
  readonly where?: object | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly fields?: readonly PropertyKey[] | undefined;
  readonly expand?: readonly string[] | undefined;
  readonly count?: 'exact' | undefined;
};

/** Undefined if no record can match, as with an empty `in`. Throws `invalid_argument`. */
export function searchOf({ where, sort, limit, cursor, fields, expand, count }: Query): string | undefined {
  const filters = where === undefined ? '' : filtersOf(where);
  if (filters === undefined) return undefined;
  return (
    filters +
    parameter('sort', sort?.join()) +
    parameter('limit', limit) +
    parameter('cursor', cursor) +
    parameter('fields', fields?.join()) +
    parameter('expand', expand?.join()) +
    parameter('count', count)
  ).slice(1);
}

export type SummaryQuery = {
  readonly group?: readonly string[] | undefined;
  readonly measures?: readonly string[] | undefined;
  readonly where?: object | undefined;
  readonly having?: object | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly limit?: number | undefined;
};

/** All conditions as JSON: every server that has summaries reads it. Throws `invalid_argument`. */
export function summarySearchOf({ group, measures, where, having, sort, limit }: SummaryQuery): string {
  const json = (name: string, conditions: object | undefined) =>
    parameter(name, conditions === undefined ? undefined : conditionsJson(conditions, name));
  return (
    parameter('group', group?.join()) +
    parameter('measures', measures?.join()) +
    json('where', where) +
    json('having', having) +
    parameter('sort', sort?.join()) +
    parameter('limit', limit)
  ).slice(1);
}

/** Filters in brackets, which every server knows, and the rest as JSON in `where`. */
function filtersOf(where: object): string | undefined {
  let search = '';
  let matchesNothing = false;
  const rest: Record<string, object> = {};
  for (const [field, filter] of Object.entries(where)) {
    if (isCombined(field, filter)) {
      rest[field] = filter;
      continue;
    }
    for (const [operator, value] of Object.entries<unknown>(isObject(filter) ? filter : { eq: filter })) {
      const name = isEveryWord(field) && !isObject(filter) ? field : `${field}[${operator}]`;
      const isList = operator === 'in' && Array.isArray(value);
      if (isList && value.length === 0) matchesNothing = true;
      else if (isList ? value.some(hasComma) : isObject(value)) rest[field] = { ...rest[field], [operator]: value };
      else search += `&${encoded(name)}=${encoded([value].flat().map((one) => textOf(name, one)))}`;
    }
  }
  const json = Object.keys(rest).length === 0 ? undefined : jsonOf(rest, '');
  return matchesNothing ? undefined : search + parameter('where', json);
}

/** Whether it is `any`, `all` or `not`, and not the filter of a field that is called so. */
function isCombined(name: string, value: unknown): boolean {
  return name === 'not' ? isObject(value) : (name === 'any' || name === 'all') && Array.isArray(value);
}

/** Whether it may stand for all searched fields, which have no `eq`. It is no parameter of its own, so it needs no brackets as a field either. */
const isEveryWord = (path: string) => /(?:^|\.)words$/.test(path);

/** A Date is a value, and a wrong one. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

/** Commas separate the values in brackets, and there is no escape for them. */
const hasComma = (value: unknown) => typeof value === 'string' && value.includes(',');

/** The filter language as JSON. Throws `invalid_argument`. */
export function conditionsJson(where: unknown, path: string): string {
  if (isObject(where)) return jsonOf(where, '');
  throw invalidArgument(`${path} is ${where}: expected an object of conditions.`);
}

/** Undefined is refused, where `JSON.stringify` would leave the condition out. */
function jsonOf(value: unknown, path: string): string {
  if (Array.isArray(value)) return `[${value.map((one, at) => jsonOf(one, `${path}[${at}]`)).join()}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, one]) => `${JSON.stringify(name)}:${jsonOf(one, path === '' ? name : `${path}.${name}`)}`,
    );
    return `{${members.join()}}`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : textOf(path, value);
}

/** With an ampersand before it; nothing if it is absent. */
function parameter(name: string, value: string | number | undefined): string {
  return value === undefined || value === '' ? '' : `&${name}=${encoded(value)}`;
}

function textOf(name: string, value: unknown): string {
  if (['string', 'bigint', 'boolean'].includes(typeof value) || Number.isFinite(value))
    return spelled(value as string | number);
  throw invalidArgument(`where: ${name} is ${value}: expected a value to compare with.`);
}

function encoded(value: unknown): string {
  const text = String(value);
  try {
    return encodeURIComponent(text);
  } catch {
    throw invalidArgument(`${JSON.stringify(text)} has half of a surrogate pair.`);
  }
}
