import { expect, test } from 'bun:test';
import { firstLineEnds, separatorIn } from './csv-separator.ts';

test.each([
  ['a,b;c,d\n1;2;3;4', ','],
  ['a;b\n1,5;2', ';'],
  ['a\tb,c\td\n', '\t'],
  ['"a;b;c",d\n', ','],
  ['\n\na;b\n', ';'],
  ['name', ','],
  ['', ','],
])('of %j', (text, separator) => {
  expect(separatorIn(text)).toBe(separator);
});

test('the first line ends outside of quotes', () => {
  expect(['a\n', '\n a\nb', '"a\n', '"a\n"\n', '\n', 'a'].map(firstLineEnds)).toEqual([
    true,
    true,
    false,
    true,
    false,
    false,
  ]);
});
