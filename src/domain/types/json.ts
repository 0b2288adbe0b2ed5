import { compact, hasUnreadableText } from '../../exact/json-text.ts';
import { type Json, parseJson } from '../input/json.ts';
import { jsonSchema } from '../record/json-schema.ts';
import { literal } from '../sql-text.ts';
import { countOption } from './option.ts';
import type { FieldType, Refusal } from './type.ts';

const maxBytes = { default: 64 * 1024, most: 1024 * 1024 };

export const json: FieldType = {
  about: 'Any JSON; digits and the order of members are kept.',
  options: {
    max: countOption('Most bytes, without white space between the values; 65536 if absent.', 2, maxBytes.most),
  },
  narrows: (before, after) => Number(after.max ?? maxBytes.default) < Number(before.max ?? maxBytes.default),
  canBeUnique: false,
  isScalar: false,
  compile(declared) {
    const most = Number(declared.max ?? maxBytes.default);
    function read(value: unknown, source = ''): string | Refusal {
      if (value === null) return { refused: 'cannot be null' };
      const text = compact(source);
      if (hasUnreadableText(text))
        return { refused: 'must not contain the character U+0000 or half of a surrogate pair' };
      const bytes = byteLength(text);
      return bytes > most ? { refused: `must have at most ${most} bytes; it has ${bytes}` } : text;
    }
    return {
      declared,
      schema: { description: `At most ${most} bytes of JSON, without white space between the values.` },
      example: {},
      typescript: 'Json',
      takesText: true,
      read,
      readCell(text) {
        const parsed = jsonIn(text);
        return parsed === undefined ? { refused: 'must be JSON' } : read(parsed.value, text);
      },
      revive: (_, source = '') => source,
      encode: String,
      filter: { operators: [], expected: 'nothing', schema: jsonSchema.anything(), parse: () => undefined },
      isOrdered: false,
      sqlite: { column: 'text', bind: (value) => value as string, unbind: String },
      postgres: jsonInPostgres,
    };
  },
};

/** The JSON in a cell of CSV; undefined if it is none, or nested too deeply. */
export function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The type json keeps the text as it is, unlike jsonb. */
export const jsonInPostgres = {
  column: 'json',
  name: 'json',
  select: (column: string) => `${column}::text`,
  json: (column: string) => column,
  fromJson: (object: string, key: string) =>
    `case when json_typeof(${object}->${literal(key)}) <> 'null' then ${object}->${literal(key)} end`,
  size: (column: string) => `octet_length(${column}::text)`,
  unbind: String,
};

const encoder = new TextEncoder();
const byteLength = (text: string) => encoder.encode(text).length;
