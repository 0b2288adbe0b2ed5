import { expect, test } from 'bun:test';
import { copyText } from './copy-text.ts';

test.each([
  [null, '\\N'],
  ['\\N', '\\\\N'],
  ['plain, "quoted" \u2028', 'plain, "quoted" \u2028'],
  ['a\tb\nc\rd\\e', 'a\\tb\\nc\\rd\\\\e'],
])('%j is written as %s', (value, text) => {
  expect(copyText(value)).toBe(text);
});
