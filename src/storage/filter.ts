/** A checked query as SQL. Dialects differ only in the expressions of `Dialect`. */
import type { FieldValue } from '../domain/encode.ts';
import type { Filter, Operator, Order, Position } from '../domain/query.ts';

export type Dialect = {
  /** The placeholder of parameter `index`, which holds a value of this column. */
  parameter(index: number, column: string): string;
  contains(column: string, parameter: string): string;
  startsWith(column: string, parameter: string): string;
};

export type Condition = { readonly where: string; readonly parameters: readonly FieldValue[] };

/** Fields whose column has another name: the column `id` is the contract's id. */
const tableNames: Readonly<Record<string, string>> = { id: 'seq', external_id: 'id' };
export const column = (field: string) => `"${tableNames[field] ?? field}"`;

const signs: Partial<Record<Operator, string>> = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' };

export function condition(
  dialect: Dialect,
  filters: readonly Filter[],
  sort: readonly Order[],
  after?: Position,
): Condition {
  const parameters: FieldValue[] = [];
  const bind = (field: string, value: FieldValue) => {
    parameters.push(value);
    return dialect.parameter(parameters.length, field);
  };
  const parts = filters.map(({ field, operator, values }) => {
    const name = column(field);
    const marks = values.map((value) => bind(field, value));
    if (operator === 'in') return `${name} in (${marks.join(', ')})`;
    const [mark = ''] = marks;
    if (operator === 'contains') return dialect.contains(name, mark);
    if (operator === 'starts_with') return dialect.startsWith(name, mark);
    return `${name} ${signs[operator]} ${mark}`;
  });
  if (after !== undefined) parts.push(afterPosition(sort, after, bind));
  return { where: parts.length === 0 ? '' : `where ${parts.join(' and ')}`, parameters };
}

/** Matches rows after a position: beyond it in the first key, or equal in that and beyond it in the next, down to `seq`. */
function afterPosition(
  sort: readonly Order[],
  { values, seq }: Position,
  bind: (field: string, value: FieldValue) => string,
): string {
  const keys = [...sort.map((order, index) => ({ ...order, value: values[index] ?? '' }))];
  if (sort.at(-1)?.field !== 'id') keys.push({ field: 'id', descending: false, value: seq });
  const choices = keys.map((key, index) => {
    const equal = keys.slice(0, index).map(({ field, value }) => `${column(field)} = ${bind(field, value)}`);
    const beyond = `${column(key.field)} ${key.descending ? '<' : '>'} ${bind(key.field, key.value)}`;
    return [...equal, beyond].join(' and ');
  });
  const [first] = keys;
  // Redundant, but the database can use it as an index range.
  const bound =
    first === undefined || keys.length === 1
      ? ''
      : `${column(first.field)} ${first.descending ? '<=' : '>='} ${bind(first.field, first.value)} and `;
  return `(${bound}(${choices.map((choice) => `(${choice})`).join(' or ')}))`;
}

export function orderBy(sort: readonly Order[]): string {
  const keys = sort.map(({ field, descending }) => `${column(field)}${descending ? ' desc' : ''}`);
  if (sort.at(-1)?.field !== 'id') keys.push('seq');
  return `order by ${keys.join(', ')}`;
}
