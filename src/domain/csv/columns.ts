/** The header of CSV: which field each column has. */

import type { Cell } from '../../exact/csv-rows.ts';
import { type Failure, invalidBody, type Problem } from '../errors.ts';
import { suggestion } from '../input/suggest.ts';
import { draftEncoder } from '../record/open-moments.ts';
import type { RecordShape } from '../record/record.ts';
import { absentValue, keyIsAbsent, keyIsNull } from '../record/row.ts';
import type { Field, FieldValue, Refusal } from '../types/type.ts';

/** Undefined for a column to leave out. The name of the field that a column has, if it is another one. */
export type ColumnNames = ReadonlyMap<string, string | undefined>;

/** A field of a record, in the order in which it is stored. */
export type ReadField = {
  readonly key: string;
  readonly field: Field;
  /** As it is sent. */
  readonly encode: Field['encode'];
  /** The place of its column in a row; negative if it has none. */
  readonly at: number;
  /** Before its value in JSON: a brace or a comma, and the name of the member, as it is stored. */
  readonly lead: string;
  /** If the field is not sent: its JSON in a new record, undefined to leave it out, or why a new record needs it. */
  readonly absent: string | Refusal | undefined;
  /** The value of that JSON, for a rule. */
  readonly preset: FieldValue | undefined;
  /** For an empty cell; undefined if that counts as not sent. */
  readonly empty: null | Refusal | undefined;
};

export type Columns = {
  /** The name of each column, as it was sent. */
  readonly names: readonly string[];
  readonly fields: readonly ReadField[];
};

/** Suggestions compare all names with each other. */
const most = { suggested: 20, characters: 100 };

/** Returns every problem at once. `key` are the fields that each record needs, if others than the required ones. */
export function columnsOf(
  header: readonly Cell[],
  shape: RecordShape,
  mapped: ColumnNames,
  ignored: readonly string[],
  key?: readonly string[],
): Columns | Failure {
  const { writable, readOnly } = shape;
  const names = header.map((cell) => cell ?? '');
  const problems: Problem[] = [];
  const columns = new Map<string, { at: number; name: string }>();
  for (const [at, name] of names.entries()) {
    const key = mapped.has(name) ? mapped.get(name) : name;
    if (key === undefined || readOnly.includes(key) || ignored.includes(name)) continue;
    const first = columns.get(key)?.name;
    if (!Object.hasOwn(writable, key))
      problems.push({ field: name, message: unknown(at, name, shape, problems.length) });
    else if (first !== undefined) problems.push({ field: name, message: repeated(key, first, name) });
    else columns.set(key, { at, name });
  }
  for (const name of mapped.keys())
    if (!names.includes(name))
      problems.push({ field: name, message: `is mapped, and there is no such column${hint(name, names)}` });
  const fields = Object.entries(writable).map(([name, field], index): ReadField => {
    const absent = name === shape.optionalId ? undefined : absentValue(field);
    const at = columns.get(name)?.at ?? -1;
    const { encode } = draftEncoder(field);
    const isRefused = typeof absent === 'object' && absent !== null;
    const needed =
      key === undefined ? (isRefused ? absent.refused : undefined) : key.includes(name) ? keyIsAbsent : undefined;
    if (at < 0 && needed !== undefined)
      problems.push({ field: name, message: `${needed}, and there is no such column` });
    return {
      key: name,
      field,
      encode,
      at,
      lead: `${index === 0 ? '{' : ','}"${name === shape.optionalId ? 'id' : name}":`,
      absent: absent === undefined || isRefused ? absent : absent === null ? 'null' : encode(absent),
      preset: isRefused ? undefined : absent,
      empty: key?.includes(name) ? { refused: keyIsNull } : field.declared.optional ? null : undefined,
    };
  });
  return problems.length > 0 ? invalidBody('header', problems) : { names, fields };
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
