/** The query of a list, as it is in the address bar and in a request: the two are the same text. */
export type Filter = { readonly field: string; readonly operator: string; readonly value: string };
export type Order = { readonly field: string; readonly down: boolean };

export type Query = {
  readonly filters: readonly Filter[];
  readonly sort: readonly Order[];
  /** The columns that the address asks for; undefined if it leaves the choice to the person. */
  readonly fields: readonly string[] | undefined;
};

const listNames = ['limit', 'cursor', 'sort', 'fields', 'count', 'expand', 'where'];

/** `where=` has conditions as JSON. A field of that name is `where[eq]=`. */
const conditions = { field: 'where', operator: 'json' };

export function isConditions({ field, operator }: Omit<Filter, 'value'>): boolean {
  return field === conditions.field && operator === conditions.operator;
}

/** Pages are the table's own business, so `limit`, `cursor`, `count` and `expand` are left out. */
export function parseQuery(search: string): Query {
  const filters: Filter[] = [];
  const own = { sort: [] as string[], fields: [] as string[] };
  for (const [name, value] of new URLSearchParams(search)) {
    const [, field = name, operator = 'eq'] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(name) ?? [];
    if (name === 'sort' || name === 'fields') own[name].push(...value.split(','));
    else if (name === conditions.field) filters.push({ ...conditions, value });
    else if (!listNames.includes(name)) filters.push({ field, operator, value });
  }
  return {
    filters,
    sort: own.sort.filter(Boolean).map((one) => ({ field: one.replace(/^-/, ''), down: one.startsWith('-') })),
    fields: own.fields.length === 0 ? undefined : own.fields,
  };
}

export function searchOf({ filters, sort, fields }: Query): string {
  const parameters = filters.map(({ field, operator, value }) => `${parameterOf(field, operator)}=${encoded(value)}`);
  if (sort.length > 0) parameters.push(`sort=${sort.map(({ field, down }) => `${down ? '-' : ''}${field}`).join(',')}`);
  if (fields !== undefined) parameters.push(`fields=${fields.join(',')}`);
  return parameters.join('&');
}

/** `eq` needs no brackets, unless the field has the name of a parameter of lists. */
export function parameterOf(field: string, operator: string): string {
  if (isConditions({ field, operator })) return field;
  return operator === 'eq' && !listNames.includes(field) ? encoded(field) : `${encoded(field)}[${encoded(operator)}]`;
}

/** As readable as a query allows. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%20', '+');
}
