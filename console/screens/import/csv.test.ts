import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { CsvRows, cellOf } from './csv.ts';
import { Unreadable } from './source.ts';

test('a text in pieces has its rows', () => {
  const rows = new CsvRows(';');
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
  const rows = new CsvRows(',');
  expect(() => [rows.push(text), rows.end()]).toThrow(new Unreadable(message));
});

const anyText = fc
  .array(
    fc.constantFrom('"', ',', ',', '\n', '\r\n', '\r', 'a', "'", ' ', 'é', '😀', '""', '"b"', 'ab,c\n', '"x\ny"'),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(''));

test('a text that is a cell is read as it was, with any separator', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom(',', ';', '\t'), (text, separator) => {
      const row = `x${separator}${cellOf(text, separator)}${separator}y\n`;
      expect(new CsvRows(separator).push(row)[0]?.cells).toEqual(['x', text, 'y']);
    }),
  );
});
