/** The header of CSV: which field each column has. */
import { type Failure, invalidBody, type Problem } from '../errors.ts';
import type { RecordShape } from '../record.ts';
import { absentValue } from '../row.ts';
import { suggestion } from '../suggest.ts';
import type { Field, FieldValue, Refusal } from '../types/type.ts';
import type { Cell } from './rows.ts';

/** Undefined for a column to leave out. The name of the field that a column has, if it is another one. */
export type ColumnNames = ReadonlyMap<string, string | undefined>;

export type Columns = {
  /** The name of each column, as it was sent. */
  readonly names: readonly string[];
  /** The columns to read, with their places in a row. */
  readonly read: readonly { readonly at: number; readonly key: string; readonly field: Field }[];
  /** The values of fields that have no column; undefined stays absent. */
  readonly others: Readonly<Record<string, FieldValue>>;
};

/** Suggestions compare all names with each other. */
const most = { suggested: 20, characters: 100 };

/** Returns every problem at once. */
export function columnsOf(
  header: readonly Cell[],
  shape: RecordShape,
  mapped: ColumnNames,
  ignored: readonly string[],
): Columns | Failure {
  const { writable, readOnly } = shape;
  const names = header.map((cell) => cell ?? '');
  const problems: Problem[] = [];
  const read: { at: number; key: string; field: Field }[] = [];
  const seen = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const key = mapped.has(name) ? mapped.get(name) : name;
    if (key === undefined || readOnly.includes(key) || ignored.includes(name)) continue;
    const field = Object.hasOwn(writable, key) ? writable[key] : undefined;
    const first = seen.get(key);
    if (field === undefined) problems.push({ field: name, message: unknown(at, name, shape, problems.length) });
    else if (first !== undefined) problems.push({ field: name, message: repeated(key, first, name) });
    else {
      seen.set(key, name);
      read.push({ at, key, field });
    }
  }
  for (const name of mapped.keys())
    if (!names.includes(name))
      problems.push({ field: name, message: `is mapped, and there is no such column${hint(name, names)}` });
  const others: Record<string, FieldValue> = {};
  for (const [key, field] of Object.entries(writable)) {
    if (seen.has(key)) continue;
    const value = valueWithoutColumn(shape, key, field);
    if (typeof value === 'object' && value !== null)
      problems.push({ field: key, message: `${value.refused}, and there is no such column` });
    else if (value !== undefined) others[key] = value;
  }
  return problems.length > 0 ? invalidBody('header', problems) : { names, read, others };
}

/** The value of a field without a cell; undefined for the contract's id, which the server sets. */
export function valueWithoutColumn(shape: RecordShape, key: string, field: Field): FieldValue | Refusal | undefined {
  return key === shape.optionalId ? undefined : absentValue(field);
}

function unknown(at: number, name: string, { writable }: RecordShape, before: number): string {
  if (name.includes('\0')) return `column ${at + 1} has the character U+0000: is the text UTF-16, not UTF-8?`;
  if (name === '') return `column ${at + 1} has no name`;
  const known = Object.keys(writable);
  return `unknown field${before < most.suggested ? hint(name, known) : ''}`;
}

function hint(name: string, known: readonly string[]): string {
  return name.length > most.characters
    ? ''
    : suggestion(
        name,
        known.filter(({ length }) => length <= most.characters),
      );
}

function repeated(key: string, first: string, name: string): string {
  return first === name
    ? 'there are two columns with this name'
    : `two columns are mapped to ${key}: ${first} and ${name}`;
}
