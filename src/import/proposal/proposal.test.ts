import { describe, expect, test } from 'bun:test';
import type { ProposedField } from './field.ts';
import { NoRows, readColumns } from './read-rows.ts';

const isReserved = (name: string) => name === 'id' || name === 'version';

const source = (name: string, text: string | Uint8Array, pieceBytes = 7) => ({
  name,
  size: undefined,
  async *pieces() {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  },
});

async function propose(name: string, text: string) {
  return (await readColumns(source(name, text))).propose('books', isReserved);
}

async function column(values: readonly string[], name = 'x') {
  const { columns } = await propose('a.csv', `${name}\n${values.join('\n')}\n`);
  return columns[0];
}

async function member(values: readonly string[]) {
  const { columns } = await propose('a.ndjson', values.map((value) => `{"x":${value}}`).join('\n'));
  return columns[0];
}

describe('the type of a column of CSV', () => {
  test.each<[string, string[], ProposedField]>([
    ['integers', ['1', '-2', '9223372036854775807'], { type: 'integer' }],
    ['integers beyond 64 bits', ['1', '9223372036854775808'], { type: 'number' }],
    ['decimals of several lengths', ['1', '2.5', '-0.125'], { type: 'decimal', scale: 3 }],
    ['more digits than a decimal has', ['123456789012345678', '0.5'], { type: 'number' }],
    ['more places than a decimal has', ['0.1234567890'], { type: 'number' }],
    ['exponents', ['1e3', '2'], { type: 'number' }],
    ['more than a double', ['1e999', '2'], { type: 'text' }],
    ['zeros at the front', ['007', '8'], { type: 'text' }],
    ['booleans', ['true', 'FALSE'], { type: 'boolean' }],
    ['dates', ['2024-02-29', '1944-01-01'], { type: 'date' }],
    ['a date that is none', ['2023-02-29', '1944-01-01'], { type: 'text' }],
    ['timestamps', ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00.5+02:00'], { type: 'timestamp' }],
    ['lists', ['"[1,2]"', '[]'], { type: 'list', of: 'integer' }],
    ['lists of several types', ['"[1,""a""]"'], { type: 'list', of: 'text' }],
    ['lists with null', ['"[1,null]"'], { type: 'json' }],
    ['objects', ['"{""a"":1}"', '[]'], { type: 'json' }],
    ['brackets that are no JSON', ['[a', '{b'], { type: 'text' }],
    ['text', ['a', '1'], { type: 'text' }],
  ])('%s', async (_, values, field) => {
    expect((await column(values))?.field).toEqual(field);
  });

  test('few texts that come again are a choice, the most frequent first', async () => {
    const found = await column(['lent', ...Array<string>(9).fill('free')]);
    expect(found?.field).toEqual({ type: 'choice', of: ['free', 'lent'] });
    expect(found?.because).toBe('2 different texts: 9 × free, 1 × lent');
    expect((await column(['lent', ...Array<string>(8).fill('free')]))?.field).toEqual({ type: 'text' });
    const many = Array.from({ length: 13 * 9 }, (_, n) => `text ${n % 13}`);
    expect((await column(many))?.field).toEqual({ type: 'text' });
  });

  test('an empty cell makes it optional, and says where', async () => {
    const { columns } = await propose('a.csv', 'a,b\n1,\n2,x\n,y\n');
    expect(columns.map(({ field }) => field)).toEqual([
      { type: 'integer', optional: true },
      { type: 'text', optional: true },
    ]);
    expect(columns[1]?.because).toEndWith('; 1 empty, the first on line 2');
  });

  test('a column without values may be anything', async () => {
    expect((await propose('a.csv', 'a,b\n1,\n')).columns[1]?.field).toEqual({ type: 'text', optional: true });
  });

  test('the values that decided are named', async () => {
    const values = [...Array.from({ length: 18 }, (_, n) => String(n)), 'n/a', 'none'];
    expect((await column(values))?.because).toBe(
      '20 texts of at most 4 characters, on line 21; 18 of them are integers, but not "n/a" on line 20',
    );
    expect((await column(['1.5', '2.25', '3']))?.because).toBe('3 decimals with at most 2 places: 2.25 on line 3');
  });
});

describe('files of spreadsheets', () => {
  test('semicolons between cells, and decimal commas: text, with the reason', async () => {
    const text = '\uFEFF"Title";Price;Note\r\na;12,50;"x;y"\r\nb;-3;\r\n';
    const { columns } = await propose('a.csv', text);
    expect(columns.map(({ name, field }) => [name, field])).toEqual([
      ['title', { type: 'text' }],
      ['price', { type: 'text' }],
      ['note', { type: 'text', optional: true }],
    ]);
    expect(columns[1]?.because).toBe(
      '2 texts of at most 5 characters, on line 2; numbers with a decimal comma, "12,50" on line 2: with a point they are decimals',
    );
  });

  test('tabs between cells', async () => {
    const { columns } = await propose('a.tsv', 'a\tb\n1\t"2,5"\n');
    expect(columns.map(({ field }) => field.type)).toEqual(['integer', 'text']);
  });

  test('one text among numbers with commas is a text alone', async () => {
    expect((await column(['"1,5"', 'none']))?.because).toBe('2 texts of at most 4 characters, on line 3');
    expect((await column(['1', 'none']))?.because).not.toContain('comma');
  });

  test('empty cells, quotes around nothing, and zeros at the front', async () => {
    const { columns } = await propose('a.csv', 'a,b,c\n,"",007\n1,,12\n2,x,3\n');
    expect(columns.map(({ field }) => field)).toEqual([
      { type: 'integer', optional: true },
      { type: 'text', optional: true },
      { type: 'text' },
    ]);
    expect(columns.map(({ because }) => because)).toEqual([
      '2 integers; 1 empty, the first on line 2',
      '2 texts of at most 1 character, on line 4; 1 empty, the first on line 3',
      '3 texts of at most 3 characters, on line 2',
    ]);
  });
});

describe('codes and identities, by their names', () => {
  test('digits of a code stay text', async () => {
    expect((await column(['9780802130303', '9780802130310'], 'isbn'))?.field).toEqual({
      type: 'text',
      max: 20,
      unique: true,
    });
    expect((await column(['10115', '10115'], 'Zip'))?.field).toEqual({ type: 'text' });
  });

  test('values that are all different are unique where a name says so', async () => {
    expect((await column(['1', '2'], 'id'))?.field).toEqual({ type: 'integer', unique: true });
    expect((await column(['1', '1'], 'id'))?.field).toEqual({ type: 'integer' });
    expect((await column(['a@x', 'b@x'], 'email'))?.field).toEqual({ type: 'text', max: 20, unique: true });
    expect((await column(['1', '2'], 'pages'))?.field).toEqual({ type: 'integer' });
    expect((await column(['a'.repeat(501), 'b'], 'slug'))?.field).toEqual({ type: 'text' });
  });
});

describe('the type of a member of JSON', () => {
  test.each<[string, string[], ProposedField]>([
    ['integers with every digit', ['9007199254740993', '1'], { type: 'integer' }],
    ['numbers', ['1.0', '2'], { type: 'number' }],
    ['decimals, which are strings', ['"12.50"', '"3"'], { type: 'decimal', scale: 2 }],
    ['digits in strings', ['"12"', '"3"'], { type: 'text' }],
    ['strings and numbers', ['"12"', '3'], { type: 'json' }],
    ['booleans', ['true', 'false'], { type: 'boolean' }],
    ['dates', ['"1944-01-01"'], { type: 'date' }],
    ['null', ['null', '1'], { type: 'integer', optional: true }],
    ['null alone', ['null'], { type: 'text', optional: true }],
    ['lists', ['["a"]', '[]'], { type: 'list', of: 'text' }],
    ['lists of lists', ['[[1]]'], { type: 'json' }],
    ['objects', ['{"a":1}'], { type: 'json' }],
  ])('%s', async (_, values, field) => {
    expect((await member(values))?.field).toEqual(field);
  });

  test('a member of some records is optional, also if the first ones lack it', async () => {
    const { rows, columns } = await propose('a.jsonl', '{"a":1}\n\n{"a":2}\n{"b":true,"a":3}\n');
    expect(rows).toBe(3);
    expect(columns.map(({ name, field }) => [name, field])).toEqual([
      ['a', { type: 'integer' }],
      ['b', { type: 'boolean', optional: true }],
    ]);
    expect(columns[1]?.because).toBe('1 boolean; 2 empty, the first on line 1');
  });

  test('a list of objects, with its lines', async () => {
    const { columns } = await propose('a.json', '\uFEFF[\n {"a": "x"},\n {"a":\n  1} ]');
    expect(columns[0]?.field).toEqual({ type: 'json' });
    const texts = await propose('a.json', '[\n{"a": "x"},\n\n{"a": "long"}]');
    expect(texts.columns[0]?.because).toBe('2 texts of at most 4 characters, on line 4');
  });
});

describe('names', () => {
  test.each([
    ['Published On', 'published_on'],
    ['publishedOn', 'published_on'],
    ['Größe (cm)', 'grosse_cm'],
    ['2nd', 'field_2nd'],
    ['id', 'original_id'],
    ['%', 'field'],
    ['é', 'e'],
    ['x'.repeat(80), 'x'.repeat(47)],
  ])('%s', async (given, name) => {
    expect((await column(['a'], given))?.name).toBe(name);
  });

  test('two columns never have one name', async () => {
    const { columns } = await propose('a.csv', 'A b,a-b,a_b\n1,2,3\n');
    expect(columns.map(({ name }) => name)).toEqual(['a_b', 'a_b_2', 'a_b_3']);
  });

  test.each([
    ['books', 'book'],
    ['countries', 'country'],
    ['boxes', 'box'],
    ['classes', 'class'],
    ['people', 'people'],
    ['bus', 'bus'],
  ])('one of %s', async (collection, singular) => {
    const columns = await readColumns(source('a.csv', 'a\n1\n'));
    expect(columns.propose(collection, isReserved).singular).toBe(singular);
  });
});

describe('a file without records that can be read', () => {
  test.each([
    ['a.csv', '', 'has no records'],
    ['a.csv', 'a,b\n', 'has no records'],
    ['a.csv', 'a,a\n1,2\n', 'line 1: two columns are called "a"'],
    ['a.csv', 'a,\n1,2\n', 'line 1: column 2 has no name'],
    ['a.csv', 'a\n1\n1,2\n', 'line 3: the row has 2 cells, and the header 1'],
    ['a.csv', 'a\n"1\n', 'line 2: the row has a quote that is not closed, from line 2 on'],
    ['a.ndjson', '{"a":1}\n{"a":', 'line 2 is not JSON (JSON Parse error: Unexpected EOF)'],
    ['a.ndjson', '7', 'line 1: expected a JSON object'],
    ['a.json', '[1]', 'line 1: expected a JSON object'],
    ['a.json', '[]', 'has no records'],
  ])('%s: %j', async (name, text, reason) => {
    const failed = await readColumns(source(name, text)).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(NoRows);
    expect((failed as NoRows).message).toBe(reason);
  });

  test('another encoding', async () => {
    const failed = await readColumns(source('a.csv', new Uint8Array([0x61, 0x0a, 0xff, 0x0a]))).catch((error) => error);
    expect(failed.message).toContain('is not UTF-8');
    const cut = await readColumns(source('a.csv', new Uint8Array([0x61, 0x0a, 0xc3]))).catch((error) => error);
    expect(cut.message).toContain('is not UTF-8');
  });
});
