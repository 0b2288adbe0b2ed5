/** Rows of CSV are the same as those of a simple parser of the whole text, wherever the text is cut into pieces. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Cell, type CsvRow, CsvRows, NotCsv } from './csv-rows.ts';

type Found = { readonly rows: CsvRow[]; readonly wrong: { line: number; column: number | undefined } | undefined };
const limits = { row: 1000, columns: 100 };

function parse(pieces: readonly string[], within = limits): Found & { readonly reason?: string } {
  const rows: CsvRow[] = [];
  const parser = new CsvRows(within);
  try {
    for (const piece of pieces) parser.push(piece, rows);
    parser.end(rows);
    return { rows, wrong: undefined };
  } catch (error) {
    if (!(error instanceof NotCsv)) throw error;
    return { rows, wrong: { line: error.line, column: error.column }, reason: error.reason };
  }
}

/** The grammar of RFC 4180, one cell after the other. */
function reference(text: string): Found {
  const rows: CsvRow[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const start = at;
    const cells: Cell[] = [];
    for (;;) {
      const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
      cell.lastIndex = at;
      const [found = '', quoted, plain = ''] = cell.exec(text) ?? [];
      cells.push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain === '' ? null : plain);
      at += found.length;
      const column = cells.length - 1;
      // An opening quote that is not closed matches as an empty plain cell.
      if (/^(?:"|\r(?!\n)|[^,\r\n])/.test(text.slice(at))) return { rows, wrong: { line, column } };
      if (text[at] !== ',') break;
      at++;
    }
    const source = text.slice(start, at);
    rows.push({ line, cells, source });
    line += source.split('\n').length;
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
  return { rows, wrong: undefined };
}

/** Mostly characters that mean something. */
const anyText = fc
  .array(
    fc.constantFrom('"', '"', ',', ',', '\n', '\r\n', '\r', 'a', "'", ' ', 'é', '😀', '""', '"b"', 'ab,c\n', '\0'),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(''));

function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((one, other) => one - other);
  return [0, ...ends].map((from, index) => text.slice(from, ends[index] ?? text.length));
}

test('any text, cut anywhere, has the rows of the grammar, or is wrong in the same line and column', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(200), { maxLength: 12 }), (text, places) => {
      const { rows, wrong } = parse(cut(text, places));
      expect({ rows, wrong }).toEqual(reference(text));
    }),
    { numRuns: 20_000 },
  );
});

test('cells that were written are read again', () => {
  const cells = fc.array(fc.option(fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(cells, { maxLength: 5 }), fc.constantFrom('\n', '\r\n'), (rows, lineEnd) => {
      const text = rows
        .map((row) => `${row.map((cell) => (cell === null ? '' : `"${cell.replaceAll('"', '""')}"`)).join()}${lineEnd}`)
        .join('');
      expect(parse([text]).rows.map((row) => row.cells)).toEqual(rows);
    }),
    { numRuns: 2000 },
  );
});

describe('what is not CSV is refused with the line, the column and the reason', () => {
  const cases: readonly (readonly [text: string, line: number, column: number | undefined, reason: string])[] = [
    ['a,b\n1,"x\ny', 2, 1, 'has a quote that is not closed, from line 2 on'],
    ['a,b\n"1\n","x', 2, 1, 'has a quote that is not closed, from line 3 on'],
    ['a\nx"y\n', 2, 0, 'has a quote inside text without quotes'],
    ['a,b\n1,"x"y\n', 2, 1, 'has text after the closing quote'],
    ['a,b\r1,2\r', 1, 1, 'has a carriage return without a line feed: end lines with LF or CRLF'],
    ['a\r', 1, 0, 'has a carriage return without a line feed: end lines with LF or CRLF'],
    [`a\n${'x'.repeat(1001)}`, 2, undefined, 'is over the limit of 1000 characters'],
    [`a\n"${'x'.repeat(1001)}`, 2, 0, 'is over the limit of 1000 characters, because a quote is not closed'],
    [`a\n"x",${'x'.repeat(1001)}`, 2, undefined, 'is over the limit of 1000 characters'],
    [','.repeat(100), 1, undefined, 'has more than 100 columns'],
    [`"",${','.repeat(99)}`, 1, undefined, 'has more than 100 columns'],
  ];
  test.each(cases.map((one) => [one[3], ...one] as const))('%s', (_, text, line, column, reason) => {
    for (const pieces of [[text], [...text]]) {
      const found = parse(pieces);
      expect({ wrong: found.wrong, reason: found.reason }).toEqual({ wrong: { line, column }, reason });
    }
  });

  test('a row of the most characters and columns is right', () => {
    expect(parse([`${'x'.repeat(1000)}\n`]).wrong).toBeUndefined();
    expect(parse([','.repeat(99)]).rows[0]?.cells).toHaveLength(100);
  });
});

test('single characters of a long row are not read again and again: that would take longer than a test may', () => {
  const parser = new CsvRows({ row: 1_000_000, columns: 10 });
  const rows: CsvRow[] = [];
  parser.push('"', rows);
  for (let sent = 0; sent < 900_000; sent++) parser.push('x', rows);
  parser.push('"\n', rows);
  parser.end(rows);
  expect(rows[0]?.cells[0]?.length).toBe(900_000);
});

test('a long text without quotes and carriage returns takes no longer than one with them: each is searched once', () => {
  const timeOf = (text: string) => {
    const began = performance.now();
    const rows: CsvRow[] = [];
    new CsvRows(limits).push(text, rows);
    expect(rows).toHaveLength(200_000);
    return performance.now() - began;
  };
  const withBoth = timeOf('"a"\r\n'.repeat(200_000));
  expect(timeOf('a\n'.repeat(200_000))).toBeLessThan(5 * withBoth);
});

describe('the separator', () => {
  const cellsOf = (pieces: readonly string[]) => {
    const parser = new CsvRows(limits, 'any');
    const rows: CsvRow[] = [];
    for (const piece of pieces) parser.push(piece, rows);
    parser.end(rows);
    return rows.map(({ cells }) => cells);
  };
  test.each<readonly [text: string, rows: Cell[][]]>([
    [
      'a;b\n1,5;2\n',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'a\tb\n1\t\n',
      [
        ['a', 'b'],
        ['1', null],
      ],
    ],
    [
      'a,b\n1;2,3\n',
      [
        ['a', 'b'],
        ['1;2', '3'],
      ],
    ],
    ['\n"x,y,z";b\r\n"1;2";"3"\r\n', [[null], ['x,y,z', 'b'], ['1;2', '3']]],
    ['"x\n,,,";b;c\n', [['x\n,,,', 'b', 'c']]],
    ['title\na;b\n', [['title'], ['a;b']]],
    ['a;b', [['a', 'b']]],
  ])('is the one that the first line has most: %j', (text, rows) => {
    expect(cellsOf([text])).toEqual(rows);
    expect(cellsOf([...text])).toEqual(rows);
  });

  test('is the comma if nothing else is asked for, and a first line that does not end is refused', () => {
    expect(parse(['a;b\n']).rows[0]?.cells).toEqual(['a;b']);
    expect(() => cellsOf(['x'.repeat(1001), 'y'])).toThrow('is over the limit of 1000 characters');
    expect(() => cellsOf([`"${'x'.repeat(1001)}`, 'y'])).toThrow('because a quote is not closed');
  });
});
