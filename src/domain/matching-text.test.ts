import { expect, test } from 'bun:test';
import { matchingText } from './matching-text.ts';

test.each([
  ['^[0-9]{13}$', '1111111111111'],
  ['^[A-Z]{2}-\\d+$', 'AA-1'],
  ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', 'a@a.aa'],
  ['^(?:red|green)$', 'red'],
  ['^(?<year>\\d{4})-(\\d\\d)$', '1111-11'],
  ['^a?b*c+?(d{2,3})?$', 'c'],
  ['^\\p{Lu}\\p{L}*\\u{31}\\x31$', 'A11'],
  ['^[\\]\\-]$', '-'],
  ['^.\\.$', 'a.'],
  ['\\bé\\b', 'é'],
  ['', ''],
])('%s', (pattern, text) => {
  expect(matchingText(pattern, 0)).toBe(text);
  expect(text).toMatch(new RegExp(pattern.replaceAll('\\b', ''), 'u'));
});

test('repeats more where it may', () => {
  expect(matchingText('^[a-z]+$', 4)).toBe('aaaaa');
  expect(matchingText('^[a-z]{2,3}x?$', 4)).toBe('aaax');
  expect(matchingText('^[a-z]{2}$', 4)).toBe('aa');
});

test.each([
  ['a look-ahead', '^(?=a)a$'],
  ['a look-behind', '(?<!b)a'],
  ['a back reference', '^(a|b)\\1$'],
  ['a named back reference', '^(?<x>a)\\k<x>$'],
  ['a character that is not tried', '^[😀]$'],
  ['a long text', '^(?:[a-z]{1000}){1000}$'],
])('none for %s', (_, pattern) => {
  expect(matchingText(pattern, 0)).toBeUndefined();
});
