/** A checked query as SQL. Dialects differ only in the expressions of `Dialect`. */

import type { Filter, Order, Position } from '../domain/input/query.ts';
import type { Collection } from '../domain/record/collection.ts';
import type { Column } from '../domain/record/record.ts';
import type { Identifier } from '../domain/sql-text.ts';
import type { FieldValue, Operator, SetValue } from '../domain/types/type.ts';

export type Dialect<Parameter> = {
  /** The placeholder of parameter `index`, which holds a value of this column. */
  parameter(index: number, column: Column): string;
  /** A value as the engine takes it. */
  bind(column: Column, value: SetValue): Parameter;
  contains(column: Identifier, parameter: string): string;
  startsWith(column: Identifier, parameter: string): string;
  /** `table` is the name of the table, for a subquery that has columns of its own. */
  has(column: Column, parameter: string, table: string): string;
};

export type Condition<Parameter> = { readonly where: string; readonly parameters: readonly Parameter[] };

const signs: Partial<Record<Operator, string>> = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** Every field of a query was checked. */
export function columnOf({ columns }: Pick<Collection, 'columns'>, field: string): Column {
  const column = columns.get(field);
  if (column === undefined) throw new Error(`there is no column ${field}`);
  return column;
}

export function condition<Parameter>(
  dialect: Dialect<Parameter>,
  collection: Pick<Collection, 'columns' | 'name'>,
  filters: readonly Filter[],
  sort: readonly Order[],
  after?: Position,
): Condition<Parameter> {
  const parameters: Parameter[] = [];
  const bind = (column: Column, value: SetValue) => {
    parameters.push(dialect.bind(column, value));
    return dialect.parameter(parameters.length, column);
  };
  const parts = filters.map(({ field, operator, values }) => {
    const column = columnOf(collection, field);
    const [first = null] = values;
    if (operator === 'is') return `${column.name} is ${first === 'set' ? 'not null' : 'null'}`;
    const marks = values.map((value) => bind(column, value ?? ''));
    const [mark = ''] = marks;
    if (operator === 'in') return `${column.name} in (${marks.join(', ')})`;
    if (operator === 'contains') return dialect.contains(column.name, mark);
    if (operator === 'starts_with') return dialect.startsWith(column.name, mark);
    if (operator === 'has') return dialect.has(column, mark, collection.name);
    return `${column.name} ${signs[operator]} ${mark}`;
  });
  if (after !== undefined) parts.push(afterPosition(collection, sort, after, bind));
  return { where: parts.length === 0 ? '' : `where ${parts.join(' and ')}`, parameters };
}

type Key = { readonly column: Column; readonly descending: boolean; readonly value: FieldValue };

/**
 * Matches rows after a position: beyond it in the first key, or equal in that and beyond it in the next, down to `recordId`.
 * Nulls come last in both directions.
 */
function afterPosition(
  collection: Pick<Collection, 'columns'>,
  sort: readonly Order[],
  { values, recordId }: Position,
  bind: (column: Column, value: SetValue) => string,
): string {
  const keys: Key[] = sort.map(({ field, descending }, index) => ({
    column: columnOf(collection, field),
    descending,
    value: values[index] ?? null,
  }));
  if (sort.at(-1)?.field !== 'id')
    keys.push({ column: columnOf(collection, 'id'), descending: false, value: recordId });
  const equal = ({ column, value }: Key) =>
    value === null ? `${column.name} is null` : `${column.name} = ${bind(column, value)}`;
  const beyond = ({ column, descending, value }: Key, sign: string) => {
    if (value === null) return undefined;
    const further = `${column.name} ${descending ? '<' : '>'}${sign} ${bind(column, value)}`;
    return column.field.declared.optional ? `(${further} or ${column.name} is null)` : further;
  };
  const choices = keys.flatMap((key, index) => {
    // Nothing comes after null but records that are equal in it.
    if (key.value === null) return [];
    return [[...keys.slice(0, index).map(equal), beyond(key, '')].join(' and ')];
  });
  const [first] = keys;
  // Redundant, but the database can use it as an index range.
  const bound = first === undefined || keys.length === 1 ? undefined : beyond(first, '=');
  return `(${bound === undefined ? '' : `${bound} and `}(${choices.map((choice) => `(${choice})`).join(' or ')}))`;
}

export function orderBy(collection: Pick<Collection, 'columns'>, sort: readonly Order[]): string {
  const keys = sort.map(({ field, descending }) => {
    const { name, field: sorted } = columnOf(collection, field);
    return `${name}${descending ? ' desc' : ''}${sorted.declared.optional ? ' nulls last' : ''}`;
  });
  if (sort.at(-1)?.field !== 'id') keys.push('seq');
  return `order by ${keys.join(', ')}`;
}
