/**
 * Checks values of records in the browser, as the server does: rows that it would refuse are found without sending them. The
 * server has the last word. A value is JSON text, so that no digit is lost.
 */
import { integerOf, maxInteger, minInteger, scaledInteger } from '../../src/exact/integer.ts';
import { compact, elementsOf, hasUnreadableText, type JsonText } from '../../src/exact/json-text.ts';
import { isDay, momentOf } from '../../src/exact/moment.ts';
import { isNumeral } from '../../src/exact/numeral.ts';
import type { FieldDeclaration } from './declarations.ts';

type Check = (value: JsonText, field: FieldDeclaration) => string | undefined;

/** Why the server would refuse the value, beginning with "must" or "cannot"; undefined if it takes it. Null is not a value. */
export function problemIn(value: JsonText, field: FieldDeclaration): string | undefined {
  return checks[field.type]?.(value, field);
}

/** Types that are not here are left to the server. */
const checks: Readonly<Record<string, Check>> = {
  text: ofText,
  integer: ofInteger,
  number: ofNumber,
  decimal: ofDecimal,
  boolean: (value) => (value === 'true' || value === 'false' ? undefined : 'must be true or false'),
  date: ofDate,
  timestamp: (value) =>
    momentOf(stringIn(value) ?? '') !== undefined ? undefined : 'must be a time, such as 2026-11-14T23:59:59.123Z',
  choice: (value, { of }) =>
    Array.isArray(of) && !of.includes(stringIn(value)) ? `must be one of ${of.join(', ')}` : undefined,
  list: ofList,
  json: ofJson,
  reference: (value) => {
    const id = integerOf(value);
    return id === undefined || id < 1n ? 'must be an id, which is 1 or more' : undefined;
  },
};

/** Undefined if the value is not a string. */
function stringIn(value: JsonText): string | undefined {
  return value.startsWith('"') ? JSON.parse(value) : undefined;
}

const patterns = new Map<string, RegExp>();
function patternOf(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, 'u');
  patterns.set(source, known);
  return known;
}

function ofText(value: JsonText, { min, max, pattern }: FieldDeclaration): string | undefined {
  const text = stringIn(value);
  if (text === undefined) return 'must be a string';
  if (!text.isWellFormed()) return 'must be well-formed Unicode (it has half of a surrogate pair)';
  if (text.includes('\0')) return 'must not contain the character U+0000';
  // Code points: an emoji counts once.
  const length = min === undefined && max === undefined ? 0 : [...text].length;
  if (min !== undefined && length < Number(min)) return `must have at least ${min} characters; it has ${length}`;
  if (max !== undefined && length > Number(max)) return `must have at most ${max} characters; it has ${length}`;
  return pattern === undefined || patternOf(pattern).test(text) ? undefined : `must match the pattern ${pattern}`;
}

function ofInteger(value: JsonText, { min, max }: FieldDeclaration): string | undefined {
  const number = integerOf(value);
  if (number === undefined) return `must be an integer from ${min ?? minInteger} to ${max ?? maxInteger}`;
  if (min !== undefined && number < BigInt(min)) return `must be at least ${min}`;
  return max !== undefined && number > BigInt(max) ? `must be at most ${max}` : undefined;
}

function ofNumber(value: JsonText, { min, max }: FieldDeclaration): string | undefined {
  if (!isNumeral(value)) return 'must be a number';
  const number = Number(value);
  if (!Number.isFinite(number)) return 'must be a number that a 64-bit double can hold';
  if (min !== undefined && number < Number(min)) return `must be at least ${min}`;
  return max !== undefined && number > Number(max) ? `must be at most ${max}` : undefined;
}

function ofDecimal(value: JsonText, { scale = 0, min, max }: FieldDeclaration): string | undefined {
  const text = stringIn(value);
  if (text === undefined) return 'must be a decimal number in a string';
  const number = scaledInteger(text, scale);
  if (number === undefined) return `must be a decimal number with at most ${scale} places`;
  const [least, most] = [min, max].map((bound) =>
    bound === undefined ? undefined : scaledInteger(String(bound), scale),
  );
  if (least !== undefined && number < least) return `must be at least ${min}`;
  return most !== undefined && number > most ? `must be at most ${max}` : undefined;
}

function ofDate(value: JsonText, { min, max }: FieldDeclaration): string | undefined {
  const day = stringIn(value) ?? '';
  if (!isDay(day)) return 'must be a day, such as 2026-11-15';
  if (min !== undefined && day < String(min)) return `must be ${min} or later`;
  return max !== undefined && day > String(max) ? `must be ${max} or earlier` : undefined;
}

const mostElements = 10_000;

function ofList(value: JsonText, { of, min = 0, max = mostElements }: FieldDeclaration): string | undefined {
  if (!value.startsWith('[')) return 'must be a list in JSON, such as ["a","b"]';
  const all = elementsOf(value);
  if (all.length < Number(min)) return `must have at least ${min} elements; it has ${all.length}`;
  if (all.length > Number(max)) return `must have at most ${max} elements; it has ${all.length}`;
  const element = typeof of === 'string' ? { type: of } : (of as FieldDeclaration);
  for (const [place, one] of all.entries()) {
    const problem = one === 'null' ? 'cannot be null' : problemIn(one, element);
    if (problem !== undefined) return `element ${place} ${problem}`;
  }
  return undefined;
}

const mostBytes = 64 * 1024;
const encoder = new TextEncoder();

function ofJson(value: JsonText, { max = mostBytes }: FieldDeclaration): string | undefined {
  const text = compact(value);
  if (hasUnreadableText(text)) return 'must not contain the character U+0000 or half of a surrogate pair';
  const bytes = encoder.encode(text).length;
  return bytes > Number(max) ? `must have at most ${max} bytes; it has ${bytes}` : undefined;
}
