import { expect, test } from 'bun:test';
import { csvRows } from './csv.ts';
import { Unreadable } from './source.ts';

test('a text in pieces has its rows', () => {
  const rows = csvRows(';');
  expect([...rows.push('a;b\n"x'), ...rows.push('\ny";\n1;'), ...rows.end()]).toEqual([
    { line: 1, source: 'a;b', cells: ['a', 'b'] },
    { line: 2, source: '"x\ny";', cells: ['x\ny', null] },
    { line: 4, source: '1;', cells: ['1', null] },
  ]);
});

test.each([
  ['a,b\n1,"x', 'Column 2 of the row in line 2 has a quote that is not closed, from line 2 on.'],
  ['a\nx"y\n', 'Column 1 of the row in line 2 has a quote inside text without quotes.'],
  [`a\n${'x'.repeat(17 * 1024 * 1024)}`, 'The row in line 2 is over the limit of 16777216 characters.'],
])('what is not CSV cannot be read on: %#', (text, message) => {
  const rows = csvRows(',');
  expect(() => [rows.push(text), rows.end()]).toThrow(new Unreadable(message));
});
