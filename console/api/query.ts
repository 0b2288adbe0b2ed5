/** The query of a list, as it is in the address bar and in a request: the two are the same text. */
import { compact, elementsOf } from '../../src/exact/json-text.ts';
import { members } from './json.ts';

export type Filter = { readonly field: string; readonly operator: string; readonly value: string };
export type Order = { readonly field: string; readonly down: boolean };

export type Query = {
  readonly filters: readonly Filter[];
  readonly sort: readonly Order[];
  /** The columns that the address asks for; undefined if it leaves the choice to the person. */
  readonly fields?: readonly string[] | undefined;
};

/** The order of a list whose address leaves it open. */
export const newestFirst: Order = { field: 'id', down: true };

/** The parameters that are no filters. */
const listNames = ['limit', 'cursor', 'sort', 'fields', 'count', 'expand', 'where'];
export const summaryNames = ['group', 'measures', 'where', 'having', 'sort', 'limit'];
const feedNames = ['after', 'collection', 'ticket', 'where'];
/** A field of such a name is filtered with brackets, everywhere. */
const reserved = [...listNames, ...summaryNames, ...feedNames];

/** They have conditions as JSON. */
const jsonNames = ['where', 'having'];
const json = 'json';

export function isConditions({ field, operator }: Omit<Filter, 'value'>): boolean {
  return operator === json && jsonNames.includes(field);
}

/** Pages are the table's own business, so `limit`, `cursor`, `count` and `expand` are left out. */
export function parseQuery(search: string): Query {
  const fields = namesIn(search, 'fields');
  return {
    filters: filtersIn(search, listNames),
    sort: orderIn(search),
    fields: fields.length === 0 ? undefined : fields,
  };
}

/** `others` are the names of the parameters that are no filters. */
export function filtersIn(search: string, others: readonly string[]): readonly Filter[] {
  return [...new URLSearchParams(search)].flatMap(([name, value]) => {
    // How the page shows it is no filter.
    if (name.startsWith('-')) return [];
    if (others.includes(name)) return jsonNames.includes(name) ? conditionsIn(name, value) : [];
    const [, field = name, operator = 'eq'] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(name) ?? [];
    return { field, operator, value };
  });
}

export function orderIn(search: string): readonly Order[] {
  return namesIn(search, 'sort').map((one) => ({ field: one.replace(/^-/, ''), down: one.startsWith('-') }));
}

/** Separated by commas, or repeated. */
export function namesIn(search: string, parameter: string): readonly string[] {
  const values = new URLSearchParams(search).getAll(parameter);
  return values.flatMap((value) => value.split(',')).filter(Boolean);
}

export function searchOf({ filters, sort, fields }: Query): string {
  return [
    ...filterParameters(filters),
    ...namesParameter('sort', sortNames(sort)),
    ...namesParameter('fields', fields),
  ].join('&');
}

/** A query has each of them once: several are the members of `all`. */
function conditionsIn(field: string, value: string): readonly Filter[] {
  const alone = [{ field, operator: json, value }];
  try {
    const [all, ...others] = members(value);
    if (all?.[0] !== 'all' || others.length > 0) return alone;
    return elementsOf(compact(all[1])).map((one) => ({ field, operator: json, value: one }));
  } catch {
    // The server says what is wrong with it.
    return alone;
  }
}

export function filterParameters(filters: readonly Filter[]): readonly string[] {
  const joined = filters.flatMap((filter) => {
    const same = isConditions(filter) ? filters.filter((one) => isConditions(one) && one.field === filter.field) : [];
    if (same.length < 2) return filter;
    return same[0] === filter ? { ...filter, value: `{"all":[${same.map(({ value }) => value).join(',')}]}` } : [];
  });
  return joined.map(({ field, operator, value }) => `${parameterOf(field, operator)}=${encoded(value)}`);
}

/** Whether a filter leads to other records, such as `author.country`. */
export function hasPath(filter: Filter): boolean {
  return isConditions(filter) ? namesPath(filter.value) : filter.field.includes('.');
}

/** In a text, a point leads nowhere. */
function namesPath(text: string): boolean {
  try {
    let found = false;
    JSON.parse(text, (name, value) => {
      found ||= name.includes('.');
      return value;
    });
    return found;
  } catch {
    // The server says what is wrong with it.
    return false;
  }
}

export function sortNames(sort: readonly Order[]): readonly string[] {
  return sort.map(({ field, down }) => `${down ? '-' : ''}${field}`);
}

/** Nothing without names. */
export function namesParameter(parameter: string, names: readonly string[] = []): readonly string[] {
  return names.length === 0 ? [] : [`${parameter}=${names.map(encoded).join(',')}`];
}

/** `eq` needs no brackets, unless the field has the name of a parameter. */
export function parameterOf(field: string, operator: string): string {
  if (isConditions({ field, operator })) return field;
  return operator === 'eq' && !reserved.includes(field) ? encoded(field) : `${encoded(field)}[${encoded(operator)}]`;
}

/** As readable as a query allows. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%20', '+');
}
