import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type CsvRow as ServerRow, CsvRows as ServerRows } from '../../../src/exact/csv-rows.ts';
import { type CsvRow, CsvRows, cellOf, separatorIn } from './csv.ts';
import { Unreadable } from './source.ts';

function parsed(pieces: readonly string[], separator = ','): { rows: CsvRow[]; isWrong: boolean } {
  const reader = new CsvRows(separator);
  const rows: CsvRow[] = [];
  try {
    for (const piece of pieces) rows.push(...reader.push(piece));
    rows.push(...reader.end());
    return { rows, isWrong: false };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { rows, isWrong: true };
  }
}

const anyText = fc
  .array(
    fc.constantFrom('"', ',', ',', '\n', '\r\n', '\r', 'a', "'", ' ', 'é', '😀', '""', '"b"', 'ab,c\n', '"x\ny"'),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(''));

test('any text, cut anywhere, has the rows that the server reads', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(), { maxLength: 3 }), (text, places) => {
      const ends = places.map((place) => place % (text.length + 1)).sort((one, other) => one - other);
      const pieces = [0, ...ends].map((from, index) => text.slice(from, ends[index] ?? text.length));
      const server = new ServerRows({ row: 1e6, columns: 1000 });
      const rows: ServerRow[] = [];
      let isWrong = false;
      try {
        server.push(text, rows);
        server.end(rows);
      } catch {
        isWrong = true;
      }
      const own = parsed(pieces);
      expect(own.isWrong).toBe(isWrong);
      if (!isWrong)
        expect(own.rows).toEqual(rows.map(({ line, source, cells }) => ({ line, source, cells: [...cells] })));
    }),
    { numRuns: 2000 },
  );
});

test('a text that is a cell is read as it was, with any separator', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom(',', ';', '\t'), (text, separator) => {
      const row = `x${separator}${cellOf(text, separator)}${separator}y\n`;
      expect(parsed([row], separator).rows[0]?.cells).toEqual(['x', text, 'y']);
    }),
  );
});

describe('separators', () => {
  test.each([
    ['a,b;c,d\n1;2;3;4', ','],
    ['a;b\n1,5;2', ';'],
    ['a\tb,c\td\n', '\t'],
    ['"a;b;c",d\n', ','],
    ['name', ','],
    ['', ','],
  ])('%j', (text, separator) => {
    expect(separatorIn(text)).toBe(separator);
  });
});
