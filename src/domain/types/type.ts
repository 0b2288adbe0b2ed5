/**
 * What a field type is: its options in a declaration, its values in JSON, in both engines, in filters and in OpenAPI. Each
 * type is one file beside this one, and `all-types.ts` lists them. Nothing else depends on which type a field has.
 */

import type { JsonKind } from '../../exact/json-text.ts';
import type { FieldDeclaration } from '../record/declaration.ts';
import type { Schema } from '../record/json-schema.ts';
import type { Effort } from '../record/pattern-effort.ts';
import { type Identifier, literal } from '../sql-text.ts';

/** A value in memory. A list or a JSON value is its compact JSON text; a decimal, a date and a time are text, too. */
export type FieldValue = string | number | bigint | boolean | null;
export type SetValue = NonNullable<FieldValue>;

/** The problem with a value; the message follows the name of the field. */
export type Refusal = { readonly refused: string };

/** Those with `_ci` ignore case. */
export type Operator =
  | ('eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in')
  | ('contains' | 'starts_with' | 'eq_ci' | 'contains_ci')
  | ('words' | 'has' | 'is');

/** A value as SQLite takes and returns it. */
export type SqliteValue = string | number | bigint;

/** A default that stands for the moment of the change. */
export type Clock = {
  /** The default in a declaration. */
  readonly preset: string;
  /** What it stands for, as in "the time of the change". */
  readonly what: string;
  /** The value, from a moment in UTC with milliseconds. */
  valueAt(moment: string): string;
  /** `preset` is the default of the column, for a server whose file does not know the field. */
  readonly sqlite: { readonly preset: string };
  readonly postgres: {
    readonly preset: string;
    /** The value as text, from the same text as `valueAt`. */
    at(moment: string): string;
  };
};

/** A field, compiled from its declaration. `null` is handled by its users: no function here takes or returns it. */
export type Field = {
  readonly declared: FieldDeclaration;
  /** The values that `read` accepts, for OpenAPI. */
  readonly schema: Schema;
  /** A right value in JSON, for examples; undefined if none is known. */
  readonly example: unknown;
  /** The type of a value in the typed client. */
  readonly typescript: string;
  /**
   * Converts a JSON value to the value to store. `exact` has the digits as sent, if a double may have lost some; if
   * `takesText`, it is the whole value as JSON text. `effort` bounds the work of patterns; absent for what is stored already.
   */
  read(value: unknown, exact: string | undefined, effort?: Effort): SetValue | Refusal;
  readonly takesText?: true;
  /** Its default, if that stands for the moment of the change. */
  readonly clock?: Clock;
  /** The most words of work of a pattern for a character. */
  readonly words?: number;
  /** Converts a cell of CSV, whose text is that of `String` for a value in memory. */
  readCell(text: string, effort?: Effort): SetValue | Refusal;
  /** Converts a JSON value that `encode` has written; like `read`, without checks. */
  revive(value: unknown, exact: string | undefined): SetValue;
  encode(value: SetValue): string;
  /** The exact sum, as `readCell` takes it; it may be out of bounds. Absent for types that have no sums. */
  add?(value: SetValue, amount: SetValue): string;
  /** Of types that have sums. */
  readonly zero?: SetValue;
  /** Of types that have sums: the places after the point of an exact sum, or `binary` for doubles. */
  readonly precision?: number | 'binary';
  /** Parts of the calendar that records can be grouped by, by their names. */
  readonly parts?: Readonly<Record<string, Part>>;
  readonly filter: {
    /** `eq` is the one without brackets. Each optional field also has `is`. */
    readonly operators: readonly Operator[];
    /** What a right value is, to follow "expected". */
    readonly expected: string;
    /** The values in a query, for OpenAPI. */
    readonly schema: Schema;
    /** The type of a value to compare with, if it is not that of the field. */
    readonly typescript?: string;
    /** A value as text in a query; undefined if it is none. The inverse of String for values in memory. */
    parse(text: string): SetValue | undefined;
    /** The elements of a list, spelled as values that are filtered by, for types with the operator `has`. */
    elements?(list: string): ReadonlySet<string>;
  };
  /** Whether records can be sorted by it, and an index can have it. */
  readonly isOrdered: boolean;
  readonly sqlite: {
    /** The type of the column. */
    readonly column: 'integer' | 'text' | 'any';
    /** A condition that every value of the column meets, where its type alone does not say so. */
    check?(column: Identifier): string;
    /** `bind` and `unbind` return what they get, but for the digits of integers: JSON values can be bound as they are. */
    readonly isPlain?: true;
    bind(value: SetValue): SqliteValue;
    unbind(value: SqliteValue): SetValue;
    /** A condition of its own for `has`. */
    has?(column: string, parameter: string): string;
  };
  readonly postgres: {
    readonly column: string;
    /** The name of the column's type in information_schema, and in a cast from text. */
    readonly name: string;
    check?(column: Identifier): string;
    /** The column as text or number, as `unbind` takes it. */
    select(column: string): string;
    /** The column as it is in JSON. */
    json(column: string): string;
    /** The member of a JSON object as a value of the column; null for null. */
    fromJson(object: string, key: string): string;
    /** The size of a value in bytes, where it can be large. */
    size?(column: string): string;
    unbind(value: string | number | boolean): SetValue;
    /** A value as `select` returns it, in JSON, where that is less work than `encode(unbind(value))`. */
    encode?(value: string | number | boolean): string;
    /** A value in JSON of PostgreSQL, spelled as `encode` spells it, where that differs. */
    respell?(text: string): string;
    /** A condition of its own for `has`. */
    has?(column: string, parameter: string): string;
    /** The exact sum of a column, null as zero, and an amount as text; it may be out of bounds. Of types that have sums. */
    sum?(column: string, amount: string): string;
    /** Whether a sum, as text, is a value of the field. */
    isInBounds?(sum: string): string;
    /** How a parameter of a filter is cast; `name` if absent. */
    readonly parameter?: string;
  };
};

/** A part of a value, as the month of a day. */
export type Part = {
  /** The values of the part. */
  readonly field: Field;
  /** The part of a column. */
  readonly sqlite: { select(column: string): string };
  readonly postgres: { select(column: string): string };
};

/** The kind of JSON that the values of a filter have. */
export function filterKind({ schema: { type } }: Field['filter']): JsonKind {
  return type === 'boolean' ? type : type === 'integer' || type === 'number' ? 'number' : 'string';
}

/** One option of a type in a declaration. */
export type Option = {
  /** For the JSON Schema of the file. */
  readonly schema: Schema;
  /** What a right value is, to follow "must be". */
  readonly expected: string;
  isRight(value: unknown): boolean;
  /** The declaration has to have it. */
  readonly required?: true;
};

export type FieldType = {
  /** One sentence, for the JSON Schema and the documentation. */
  readonly about: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Problems with options that are right one by one, as pairs of an option and a message. */
  problems?(declared: FieldDeclaration): readonly (readonly [option: string, message: string])[];
  /** Whether a value can fit `before` and not `after`, which differ in options of this type alone. */
  narrows?(before: FieldDeclaration, after: FieldDeclaration): boolean;
  /** Options that decide how values are kept: another value of them is another type. */
  kept?(declared: FieldDeclaration): string;
  /** `together`: only with other fields, or under a condition. */
  readonly canBeUnique: boolean | 'together';
  /** Records can be searched by the words of a value. */
  readonly canBeSearched?: true;
  /** The default that stands for the moment of the change, for types that have one. */
  readonly clock?: Clock;
  /** A list can have elements of this type. */
  readonly isScalar: boolean;
  /** Its option `of` declares elements. */
  readonly hasElements?: true;
  /** The most characters of a value, where they take room in an index. */
  longest?(declared: FieldDeclaration): number;
  /** A pattern that takes very long for some texts: only a database that has it already keeps it. `why` follows "the pattern". */
  slowPattern?(declared: FieldDeclaration): { readonly pattern: string; readonly why: string } | undefined;
  /** For a declaration without problems. */
  compile(declared: FieldDeclaration): Field;
};

/** Whether bounds are narrower; `comparable` makes them comparable, and is undefined for none. */
export function boundsNarrow<Value extends number | bigint | string>(
  before: FieldDeclaration,
  after: FieldDeclaration,
  comparable: (bound: unknown) => Value | undefined,
): boolean {
  const [oldMin, min] = [comparable(before.min), comparable(after.min)];
  const [oldMax, max] = [comparable(before.max), comparable(after.max)];
  return (
    (min !== undefined && (oldMin === undefined || min > oldMin)) ||
    (max !== undefined && (oldMax === undefined || max < oldMax))
  );
}

/** The clock of a field whose default it is. */
export function ofClock(clock: Clock, { default: preset }: FieldDeclaration): Pick<Field, 'clock'> {
  return preset === clock.preset ? { clock } : {};
}

export const count = (bound: unknown) => (bound === undefined ? undefined : Number(bound));

export const comparisons: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];

/** The part that types share whose values PostgreSQL has as they are in JSON. */
export const sameInPostgres = {
  select: (column: string) => column,
  json: (column: string) => column,
};

/** Sums of exact numbers: of two values of 64 bits, they have more. */
export const exactSum = (column: string, amount: string) => `coalesce(${column}, 0)::numeric + ${amount}::numeric`;

/** `->>` gives the text of a member, and null for null. */
export const fromJsonText = (cast: string) => (object: string, key: string) => `(${object}->>${literal(key)})::${cast}`;
