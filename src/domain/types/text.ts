import { lazy } from '../lazy.ts';
import { type Pattern, patternOf } from '../pattern/pattern.ts';
import type { FieldDeclaration } from '../record/declaration.ts';
import { jsonSchema } from '../record/json-schema.ts';
import { Effort } from '../record/pattern-effort.ts';
import { countOption } from './option.ts';
import {
  boundsNarrow,
  comparisons,
  count,
  type Field,
  type FieldType,
  fromJsonText,
  type Refusal,
  sameInPostgres,
} from './type.ts';

/** PostgreSQL cannot index a longer text. */
export const maxIndexedText = 500;

export const text: FieldType = {
  about: 'Any Unicode text without U+0000.',
  options: {
    min: countOption('Fewest characters.', 0, 1_000_000),
    max: countOption('Most characters.', 0, 1_000_000),
    pattern: {
      schema: jsonSchema.string({
        format: 'regex',
        description:
          'A regular expression that matches somewhere in the text, without look-around and back references.',
      }),
      expected: 'a regular expression (ECMAScript)',
      isRight: (value) => typeof value === 'string' && patternOf(value) !== undefined,
    },
  },
  problems({ min, max, pattern }) {
    const least = Number(min ?? 0);
    if (least > Number(max ?? Number.POSITIVE_INFINITY)) return [['min', 'must not be above max']];
    const longest = new Effort().longest(matcherOf(pattern)?.words ?? 0);
    return least > longest
      ? [['min', `must not be above ${longest}: no longer text can be sent for this pattern`]]
      : [];
  },
  narrows: (before, after) =>
    boundsNarrow(before, after, count) || (after.pattern !== undefined && after.pattern !== before.pattern),
  canBeUnique: true,
  canBeSearched: true,
  isScalar: true,
  longest: ({ max }) => Number(max ?? Number.POSITIVE_INFINITY),
  slowPattern({ pattern = '' }) {
    const why = patternOf(pattern)?.slow;
    return why === undefined ? undefined : { pattern, why };
  },
  compile,
};

function matcherOf(pattern: string | undefined): Pattern | undefined {
  return pattern === undefined ? undefined : patternOf(pattern);
}

function compile(declared: FieldDeclaration): Field {
  const least = Number(declared.min ?? 0);
  const { pattern } = declared;
  const matcher = matcherOf(pattern);
  const { words = 0 } = matcher ?? {};
  const most = Number(declared.max ?? Number.POSITIVE_INFINITY);

  function problem(value: string, effort: Effort | undefined): Refusal | undefined {
    // A text has as many UTF-16 units as characters, or more.
    if (least > 0 || value.length > most || words > 0) {
      const length = lengthOf(value);
      if (length < least) return { refused: `must have at least ${counted(least)}; it has ${length}` };
      if (length > most) return { refused: `must have at most ${counted(most)}; it has ${length}` };
      const longest = effort?.longest(words) ?? length;
      if (length > longest) return { refused: tooLong(longest, length) };
      effort?.spend(length, words);
    }
    if (matcher?.test(value) === false) return { refused: `must match the pattern ${pattern}` };
    return undefined;
  }

  function read(value: unknown, effort?: Effort): string | Refusal {
    const text = readText(value);
    return typeof text === 'string' ? (problem(text, effort) ?? text) : text;
  }

  const example = lazy(() => exampleOf(least, most, matcher, (one) => read(one) === one));
  return {
    declared,
    schema: jsonSchema.string({
      ...(least > 0 ? { minLength: least } : {}),
      ...(most < Number.POSITIVE_INFINITY ? { maxLength: most } : {}),
      // For clients only: `read` looks for the character itself, which is faster than a pattern.
      pattern: pattern ?? '^[^\\u0000]*$',
    }),
    get example() {
      return example();
    },
    typescript: 'string',
    read: (value, _, effort) => read(value, effort),
    readCell: read,
    words,
    revive: (value) => value as string,
    encode: (value) => JSON.stringify(value),
    filter: {
      operators: [
        ...comparisons,
        ...(['contains', 'starts_with', 'eq_ci', 'contains_ci'] as const),
        ...(declared.search ? (['words'] as const) : []),
      ],
      expected: 'text without U+0000',
      schema: jsonSchema.string({ pattern: '^[^\\u0000]*$' }),
      parse: (value) => (value.isWellFormed() && !value.includes('\0') ? value : undefined),
    },
    isOrdered: true,
    sqlite: { column: 'text', isPlain: true, bind: (value) => value as string, unbind: (value) => value },
    postgres: textInPostgres,
  };
}

/** For every type whose values are text, in the database, too. Collation "C" compares bytes, whatever the locale. */
export const textInPostgres: Field['postgres'] = {
  ...sameInPostgres,
  column: 'text collate "C"',
  name: 'text',
  fromJson: fromJsonText('text'),
  size: (column) => `octet_length(${column})`,
  unbind: String,
};

/** Any text that both engines can hold. */
export function readText(value: unknown): string | Refusal {
  if (typeof value !== 'string') return { refused: 'must be a string' };
  if (!value.isWellFormed()) return { refused: 'must be well-formed Unicode (it has half of a surrogate pair)' };
  if (value.includes('\0')) return { refused: 'must not contain the character U+0000' };
  return value;
}

/** Code points: an emoji counts once, though it has two UTF-16 units. */
function lengthOf(value: string): number {
  let length = value.length;
  for (let at = 0; at < value.length; at++) if ((value.charCodeAt(at) & 0xfc00) === 0xd800) length--;
  return length;
}

function tooLong(most: number, length: number): string {
  return `is too long for its pattern: at most ${counted(Math.max(0, most))} are left for it in this record; it has ${length}`;
}

function counted(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

/** A pattern that backtracks takes long to refuse a long text. */
const longestTried = 20;
/** A longer one would be in the document a dozen times. */
const longestExample = 1000;

/** Undefined if none is found. */
function exampleOf(least: number, most: number, pattern: Pattern | undefined, isRight: (text: string) => boolean) {
  const length = Math.max(least, Math.min(most, 7));
  if (length > longestExample) return undefined;
  const plain = 'example'.repeat(Math.ceil(length / 7)).slice(0, length);
  if (pattern === undefined || (length <= longestTried && isRight(plain))) return plain;
  const text = pattern.example(least);
  return text !== undefined && isRight(text) ? text : undefined;
}
