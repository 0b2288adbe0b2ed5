/** A cell that the export writes is read as the same text. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { withoutApostrophe, writeCell } from './csv-cell.ts';
import { type CsvRow, CsvRows } from './csv-rows.ts';

function read(cell: string): string | null {
  const rows: CsvRow[] = [];
  const parser = new CsvRows({ row: 10_000, columns: 10 });
  parser.push(`x,${cell}\r\n`, rows);
  parser.end(rows);
  const [, text = null] = rows[0]?.cells ?? [];
  return text === null ? null : withoutApostrophe(text);
}

const pieces = fc.constantFrom(
  "'",
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  '＝',
  '＋',
  '－',
  '＠',
  '"',
  ',',
  ';',
  ' ',
  'a',
  '1',
  'é',
);
const text = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));

test('any text, also with apostrophes before the signs of a formula', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(read(writeCell(value))).toBe(value);
    }),
    { numRuns: 20_000 },
  );
});

test('text that a spreadsheet would run has an apostrophe in front', () => {
  for (const value of ['=1', '+1', '-1', '@x', '\t=1', "'=1", "''=1", '-5.00'])
    expect(writeCell(value).replace(/^"/, '')).toStartWith(`'${value.slice(0, 1)}`);
  for (const value of ["'a", '1=1', 'a', "it's"]) expect(writeCell(value)).toBe(value);
});

/** What a spreadsheet finds that takes another character for the separator: then a quote inside a cell quotes nothing. */
function cellsOf(row: string, separator: string): string[] {
  return row.split('\n').flatMap((line) => line.replace(/\r$/, '').split(separator));
}

test('no formula begins where a spreadsheet with another separator begins a cell', () => {
  const formulas = ['=1', '+1', '-1', '@x', '\uff1d1'];
  for (const separator of [';', '\t'])
    for (const formula of formulas)
      for (const value of [
        `a;${formula};b`,
        `;${formula}`,
        `a\t${formula}\tb`,
        `a;'${formula};`,
        `a\n${formula}\nb`,
        `"\r\n${formula}`,
      ])
        expect({
          value,
          found: cellsOf(`1,${writeCell(value)},2`, separator).filter((cell) => /^[=+\-@\uff1d]/.test(cell)),
        }).toEqual({
          value,
          found: [],
        });
});

test('text of others with a semicolon, an apostrophe and a sign is read as it is', () => {
  for (const text of ["a;'=1", "x\n'- y", "'a;=1", "'a; -b"]) expect(withoutApostrophe(text)).toBe(text);
});

test('null, empty text and numbers', () => {
  expect([null, '', -0, -5, 1e308, 9223372036854775807n, true].map(writeCell)).toEqual([
    '',
    '""',
    '-0',
    '-5',
    '1e+308',
    '9223372036854775807',
    'true',
  ]);
  expect([read(''), read('""')]).toEqual([null, '']);
});
