/**
 * What a person has entered into a field, and the value that it stands for. A number is never anything but its digits: the
 * entry `9007199254740993` is the value `9007199254740993`.
 */
import { compact, elementsOf, type JsonText } from '../../../src/exact/json-text.ts';
import { elementOf, type FieldDeclaration } from '../../api/declarations.ts';
import { indented, unquoted } from '../../api/json.ts';
import { timeIn, timeText } from '../../parts/values/moment-text.ts';

/** The text of a field, or of each element of a list. Null is no value; undefined is a field that is not sent. */
export type Entry = string | readonly string[] | null | undefined;

export type Read = { readonly json: JsonText } | { readonly problem: string };

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

export function entryOf(json: JsonText | undefined, field: FieldDeclaration): Entry {
  if (json === undefined) return undefined;
  if (json === 'null') return null;
  if (field.type === 'list') return elementsOf(json).map((one) => String(entryOf(one, elementOf(field))));
  if (field.type === 'json') return indented(json);
  if (field.type === 'timestamp') return timeText(unquoted(json));
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Checks only what the JSON needs; bounds and the rest are the server's, which says them field by field. */
export function readEntry(entry: Exclude<Entry, undefined>, field: FieldDeclaration): Read {
  if (entry === null) return field.optional === true ? { json: 'null' } : { problem: 'needs a value' };
  if (typeof entry !== 'string') {
    const read = entry.map((one) => readText(one, elementOf(field)));
    const wrong = read.findIndex((one) => 'problem' in one);
    const first = read[wrong];
    if (first !== undefined && 'problem' in first) return { problem: `element ${wrong + 1} ${first.problem}` };
    return { json: `[${read.flatMap((one) => ('json' in one ? one.json : [])).join(',')}]` };
  }
  return readText(entry, field);
}

function readText(text: string, { type }: FieldDeclaration): Read {
  const trimmed = text.trim();
  switch (type) {
    case 'integer':
    case 'number':
      return number.test(trimmed) ? { json: trimmed } : { problem: 'must be a number, such as 12 or -0.5' };
    case 'reference':
      return /^\d+$/.test(trimmed) ? { json: trimmed } : { problem: 'must be chosen from the list, or be an id' };
    case 'timestamp':
      // The server says what is wrong with another one.
      return { json: JSON.stringify(timeIn(trimmed) ?? text) };
    case 'boolean':
      return trimmed === 'true' || trimmed === 'false' ? { json: trimmed } : { problem: 'must be true or false' };
    case 'json':
      return readJson(text);
    default:
      return { json: JSON.stringify(text) };
  }
}

function readJson(text: string): Read {
  try {
    JSON.parse(text);
    return { json: compact(text) };
  } catch (error) {
    return { problem: `is not JSON: ${error instanceof Error ? error.message : error}` };
  }
}
