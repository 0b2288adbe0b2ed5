/** The value of an option as a person types it. */
import { elementsOf, type JsonText, kindOf } from '../../src/exact/json-text.ts';
import { unquoted } from '../api/json.ts';
import type { Option } from './field-types.ts';
import { inlined } from './file/inline-json.ts';

/** What cannot be a value yet: the file keeps the one that it has. */
export const unfinished = Symbol('unfinished');

export function typedOf({ input }: Option, type: string, value: JsonText | undefined): string {
  if (value === undefined || (input === 'deletion' && value === '"restrict"')) return '';
  if (input === 'names') return elementsOf(value).map(unquoted).join('\n');
  if (input === 'value' && isRaw(type)) return inlined(value);
  return kindOf(value) === 'object' || kindOf(value) === 'array' ? inlined(value) : unquoted(value);
}

/** Undefined leaves the option out. What the type does not take becomes a text, which the server refuses in its own words. */
export function jsonOfTyped({ input }: Option, type: string, typed: string): JsonText | undefined | typeof unfinished {
  if (input === 'names') return JSON.stringify(typed.split('\n').filter((line) => line.trim() !== ''));
  if (typed === '') return undefined;
  if (input === 'flag') return 'true';
  if (input === 'count') return isNumber(typed) ? typed : JSON.stringify(typed);
  if (input === 'value' && isRaw(type)) return isJson(typed) ? typed : unfinished;
  if (input === 'value' && type === 'boolean') return typed;
  const isDigits = (input === 'value' || input === 'scalar') && ['integer', 'number', 'reference'].includes(type);
  return isDigits && isNumber(typed) ? typed : JSON.stringify(typed);
}

/** Values that have no simpler form. */
export const isRaw = (type: string) => type === 'list' || type === 'json';

/** For an input of JSON, as high as it needs. */
export const rowsOf = (json: string) => Math.min(10, Math.max(Math.ceil(json.length / 60), json.split('\n').length));

const isNumber = (typed: string) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(typed);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
