/** Encodes rows as JSON. */
import type { Field, FieldValue } from '../types/type.ts';

export type Encoders = Readonly<Record<string, Pick<Field, 'encode'>>>;
type Values = Readonly<Record<string, FieldValue>>;

/** Encodes rows with their fields in the declared order. */
export function encoder(fields: Encoders): (row: Values) => string {
  const write = memberWriter(fields, (key, index) => `${index === 0 ? '{' : ','}"${key}":`);
  return (row) => `${write(row)}}`;
}

/** Encodes the fields of rows as members of an object, each after a comma, under the names that `nameOf` returns. */
export function memberEncoder(fields: Encoders, nameOf: (key: string) => string): (row: Values) => string {
  return memberWriter(fields, (key) => `,"${nameOf(key)}":`);
}

/** `lead` is written before each value. */
function memberWriter(fields: Encoders, lead: (key: string, index: number) => string): (row: Values) => string {
  const named = Object.entries(fields).map(([key, { encode }], index) => ({ key, encode, lead: lead(key, index) }));
  return (row) => {
    let text = '';
    for (const { key, encode, lead } of named) {
      const value = row[key];
      if (value === undefined) throw new Error(`Cannot encode a row: it has no ${key}`);
      text += lead + (value === null ? 'null' : encode(value));
    }
    return text;
  };
}

/** Encodes the fields that are there, in the declared order. */
export function partialEncoder(fields: Encoders): (row: Partial<Values>) => string {
  const named = Object.entries(fields).map(([key, { encode }]) => ({
    key,
    encode,
    first: `{"${key}":`,
    next: `,"${key}":`,
  }));
  return (row) => {
    // Joined at the end: a text that grows is kept in pieces, which take several times its memory.
    const parts: string[] = [];
    for (const { key, encode, first, next } of named) {
      const value = row[key];
      if (value === undefined) continue;
      parts.push(parts.length === 0 ? first : next, value === null ? 'null' : encode(value));
    }
    parts.push(parts.length === 0 ? '{}' : '}');
    return parts.join('');
  };
}
