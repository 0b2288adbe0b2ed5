/** The query of a list, as it is in the address bar and in a request: the two are the same text. */
export type Filter = { readonly field: string; readonly operator: string; readonly value: string };
export type Order = { readonly field: string; readonly down: boolean };

export type Query = {
  readonly filters: readonly Filter[];
  readonly sort: readonly Order[];
  /** The columns that the address asks for; undefined if it leaves the choice to the person. */
  readonly fields: readonly string[] | undefined;
};

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
    if (others.includes(name)) return jsonNames.includes(name) ? { field: name, operator: json, value } : [];
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

export function filterParameters(filters: readonly Filter[]): readonly string[] {
  return filters.map(({ field, operator, value }) => `${parameterOf(field, operator)}=${encoded(value)}`);
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
