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

function filtersOf(where: object): string | undefined {
  let search = '';
  let matchesNothing = false;
  for (const [field, filter] of Object.entries(where)) {
    const isValue = typeof filter !== 'object' || filter === null;
    for (const [operator, value] of Object.entries<unknown>(isValue ? { eq: filter } : filter)) {
      const name = `${field}[${operator}]`;
      if (operator !== 'in') search += `&${encoded(name)}=${encoded(textOf(name, value))}`;
      else if ((value as unknown[]).length === 0) matchesNothing = true;
      else search += `&${encoded(name)}=${encoded(listOf(name, value as unknown[]))}`;
    }
  }
  return matchesNothing ? undefined : search;
}

/** With an ampersand before it; nothing if it is absent. */
function parameter(name: string, value: string | number | undefined): string {
  return value === undefined || value === '' ? '' : `&${name}=${encoded(value)}`;
}

/** Commas separate the values, and the server knows no escape for them. */
function listOf(name: string, values: readonly unknown[]): string {
  const texts = values.map((value) => textOf(name, value));
  const comma = texts.find((text) => text.includes(','));
  if (comma === undefined) return texts.join();
  throw invalidArgument(`where: ${name} has ${JSON.stringify(comma)}: a value of "in" cannot have a comma.`);
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
