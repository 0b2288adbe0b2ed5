/** A checked query as SQL. Dialects differ only in the expressions of `Dialect`. */

import type { Order, Position } from '../domain/input/query.ts';
import type { Column } from '../domain/record/record.ts';
import { type Identifier, identifier } from '../domain/sql-text.ts';
import type { Field, FieldValue, Operator, SetValue } from '../domain/types/type.ts';
import {
  type Condition,
  everySearched,
  type Filter,
  type Filterable,
  isFilter,
  type Where,
} from '../domain/where/where.ts';
import { type Lookup, lookupsOf } from '../domain/words/split.ts';

/** The expressions of an engine. */
export type Expressions = {
  /** A value in the text of a statement. */
  literal(column: Column, value: SetValue): string;
  contains(column: string, parameter: string): string;
  startsWith(column: string, parameter: string): string;
  /** Whether a text is equal to another one in any case, or contains it. `bind` makes a parameter of a text. */
  sameFolded(column: string, text: string, isPart: boolean, bind: (text: string) => string): string;
  /** `column` is qualified, because a subquery has columns of its own. */
  has(field: Field, column: string, parameter: string): string;
  /** Whether a record has words, of which there is at least one. `bind` makes a parameter of a text. */
  words(search: WordSearch, bind: (text: string) => string): string;
};

/** `table` is the name or the alias of the table of `collection` in the statement. */
export type WordSearch = {
  readonly collection: string;
  readonly table: Identifier;
  /** Each word may be in any of them. */
  readonly fields: readonly string[];
  readonly lookups: readonly Lookup[];
};

export type Dialect<Parameter> = Expressions & {
  /** The placeholder of parameter `index`, which holds a value of this column. */
  parameter(index: number, column: Column): string;
  /** A value as the engine takes it. */
  bind(column: Column, value: SetValue): Parameter;
};

/** `sql` begins with `where`, unless there is no condition. */
export type ConditionSql<Parameter> = { readonly sql: string; readonly parameters: readonly Parameter[] };

const signs: Partial<Record<Operator, string>> = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** Every field of a query was checked. */
export function columnOf({ columns }: Pick<Filterable, 'columns'>, field: string): Column {
  const column = columns.get(field);
  if (column === undefined) throw new Error(`there is no column ${field}`);
  return column;
}

export function condition<Parameter>(
  dialect: Dialect<Parameter>,
  collection: Filterable,
  where: Where,
  sort: readonly Order[],
  after?: Position,
): ConditionSql<Parameter> {
  const parameters: Parameter[] = [];
  const bind: Bind = (column, value) => {
    parameters.push(dialect.bind(column, value));
    return dialect.parameter(parameters.length, column);
  };
  const parts = new Compiler(dialect, bind).all(collection, where, rowIn(collection, identifier(collection.name)));
  if (after !== undefined) parts.push(afterPosition(collection, sort, after, bind));
  return { sql: parts.length === 0 ? '' : `where ${parts.join(' and ')}`, parameters };
}

/**
 * Conditions without parameters, for an index, and for a statement that is to use this index. They are on columns, or on what `of` returns for
 * the fields.
 */
export function predicate(
  dialect: Expressions,
  collection: Filterable,
  where: Where,
  of: (field: string) => string = (field) => columnOf(collection, field).name,
): string {
  const compiler = new Compiler(dialect, (column, value) => dialect.literal(column, value));
  const row = { of, table: identifier(collection.name) };
  return where.length === 0 ? 'true' : compiler.all(collection, where, row).join(' and ');
}

/** A value in a condition. */
type Bind = (column: Column, value: SetValue) => string;

/** The record that is compared: its fields, and its table. */
type Row = { readonly of: (field: string) => string; readonly table: Identifier };

function rowIn(collection: Pick<Filterable, 'columns'>, table: Identifier): Row {
  return { of: (field) => `${table}.${columnOf(collection, field).name}`, table };
}

class Compiler {
  /** Tables within each other, which need names. */
  #depth = 0;

  constructor(
    readonly dialect: Expressions,
    readonly bind: Bind,
  ) {}

  all(collection: Filterable, where: Where, row: Row): string[] {
    return where.map((one) => this.#condition(collection, one, row));
  }

  #together(collection: Filterable, where: Where, row: Row): string {
    return where.length === 0 ? 'true' : `(${this.all(collection, where, row).join(' and ')})`;
  }

  #condition(collection: Filterable, one: Condition, row: Row): string {
    if (isFilter(one)) return this.#path(collection, one, row);
    // A comparison with null is null in SQL, and `is not true` makes it true.
    if ('not' in one) return `${this.#together(collection, one.not, row)} is not true`;
    const choices = one.any.map((where) => this.#together(collection, where, row));
    return choices.length === 0 ? 'false' : `(${choices.join(' or ')})`;
  }

  #path(collection: Filterable, { via = [], ...filter }: Filter, row: Row): string {
    const [step, ...rest] = via;
    if (step === undefined)
      return filter.operator === 'words' ? this.#words(collection, filter, row) : this.#filter(collection, filter, row);
    const inner = identifier(`_${++this.#depth}`);
    const target = rowIn(step.to, inner);
    const seen = this.#together(step.to, step.where ?? [], target);
    const condition = this.#path(step.to, { ...filter, via: rest }, target);
    this.#depth--;
    return `exists (select 1 from ${identifier(step.to.name)} as ${inner} where ${inner}.seq = ${row.of(step.field)} and ${seen} and ${condition})`;
  }

  #words({ name: collection, columns }: Filterable, { field, values, among = [field] }: Filter, row: Row): string {
    const lookups = lookupsOf(String(values[0]));
    if (lookups.length === 0) return field === everySearched ? 'true' : `${row.of(field)} is not null`;
    const column = columnOf({ columns }, among[0] ?? field);
    const search = { collection, table: row.table, fields: among, lookups };
    return this.dialect.words(search, (text) => this.bind(column, text));
  }

  #filter(collection: Filterable, { field, operator, values, other }: Filter, { of }: Row): string {
    const column = columnOf(collection, field);
    const { dialect } = this;
    const name = of(field);
    const [first = null] = values;
    if (operator === 'is') return `${name} is ${first === 'set' ? 'not null' : 'null'}`;
    if (other !== undefined) return `${name} ${signs[operator]} ${of(other)}`;
    if (operator === 'eq_ci' || operator === 'contains_ci')
      return dialect.sameFolded(name, String(first), operator === 'contains_ci', (text) => this.bind(column, text));
    const marks = values.map((value) => this.bind(column, value ?? ''));
    const [mark = ''] = marks;
    if (operator === 'in') return `${name} in (${marks.join(', ')})`;
    if (operator === 'contains') return dialect.contains(name, mark);
    if (operator === 'starts_with') return dialect.startsWith(name, mark);
    if (operator === 'has') return dialect.has(column.field, name, mark);
    return `${name} ${signs[operator]} ${mark}`;
  }
}

type Key = { readonly column: Column; readonly descending: boolean; readonly value: FieldValue };

/**
 * Matches rows after a position: beyond it in the first key, or equal in that and beyond it in the next, down to `recordId`.
 * Nulls come last in both directions.
 */
function afterPosition(
  collection: Pick<Filterable, 'columns'>,
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

export function orderBy(collection: Pick<Filterable, 'columns'>, sort: readonly Order[]): string {
  const keys = sort.map(({ field, descending }) => {
    const { name, field: sorted } = columnOf(collection, field);
    return `${name}${descending ? ' desc' : ''}${sorted.declared.optional ? ' nulls last' : ''}`;
  });
  if (sort.at(-1)?.field !== 'id') keys.push('seq');
  return `order by ${keys.join(', ')}`;
}
