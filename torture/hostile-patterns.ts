/** Patterns for which a backtracking engine takes very long, each with a text that it almost matches. */

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
  '^(?:X+?)+?$',
  '^(?:X+\\b)*X+$',
  '(?:X+X?)+(?:y|X+$)',
  '^(X+|(X|X)*)*z$',
];

export const hostilePatterns: readonly Hostile[] = shapes.flatMap((shape) =>
  sets.map(([character, set, other]) => ({
    pattern: shape.replaceAll('X', set),
    text: (characters) => `${character.repeat(characters - 1)}${other}`,
  })),
);
