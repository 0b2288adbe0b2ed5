/** Patterns for which a backtracking engine takes very long, or a table of states much memory, each with a text that it almost matches. */

import { patternOf } from '../../src/domain/pattern/pattern.ts';
import { Effort } from '../../src/domain/record/pattern-effort.ts';

type Hostile = { readonly pattern: string; text(characters: number): string };

/** A character that the set matches, the set, and a character that it does not match. */
const sets: readonly (readonly [character: string, set: string, other: string])[] = [
  ['a', 'a', '!'],
  ['a', '[ab]', '!'],
  ['a', '[^b-y]', 'c'],
  ['7', '\\d', '!'],
  ['z', '\\w', '!'],
  ['!', '.', '\n'],
  ['\u00e9', '\u00e9', '!'],
  ['\u0436', '\\p{L}', '!'],
  ['\u{1f600}', '\\u{1f600}', '!'],
  ['\u3000', '\\s', '!'],
];

/** `X` is the set. */
const shapes: readonly string[] = [
  '(X+)+$',
  '^(X*)*$',
  '^(X|X)*$',
  '^(X|XX)+$',
  '^(X+X+)+y',
  '(X+X+)+y$',
  '^(X?X?)*$',
  '^(X|X?)+$',
  '^X*X*X*X*X*X*$',
  'X*X*X*X*X*$',
  '^(?:X?){25}X{25}$',
  '^((X+)?)*$',
  '^(?:(?:X+)+)+$',
  '^(X+)+(X+)+$',
  '(X*)*y',
  '^(?:X{1,9}){1,9}$',
  '^(?:X+\\b)*X+$',
  '(?:X+X?)+(?:y|X+$)',
  '^(X+|(X|X)*)*z$',
];

/** Texts of `a` and `@` lead to ever new sets of nodes. */
const manySets: readonly string[] = [
  'a.{16}b',
  '[a@]*a[a@]{900}[cd]',
  '^.{1,64}@.{1,255}b$',
  '^.*@.{1,64}@.{1,255}b$',
  '^(?:.{0,100}@){0,90}b$',
  'a.{9999}b',
  '^(?:\\S{1,63}@){1,20}\\S{2,63}\\b!',
  '(?:a.{30}@.{40}){9}b',
  '(?:a+.{9}|@.{1,50}){1,9}b',
  '^(?:.{5,50}@|.{3,40}a)*b',
];

/** The same text each time, without a period. */
function mixed(characters: number): string {
  let number = 1;
  return Array.from({ length: characters }, () => {
    number = (Math.imul(number, 1_103_515_245) + 12_345) >>> 0;
    return number >> 30 === 0 ? '@' : 'a';
  }).join('');
}

export const hostilePatterns: readonly Hostile[] = [
  ...shapes.flatMap((shape) =>
    sets.map(([character, set, other]) => ({
      pattern: shape.replaceAll('X', set),
      text: (characters: number) => `${character.repeat(characters - 1)}${other}`,
    })),
  ),
  ...manySets.map((pattern) => ({
    pattern,
    text: (characters: number) => mixed(Math.min(characters, new Effort().longest(patternOf(pattern)?.words ?? 0))),
  })),
];
