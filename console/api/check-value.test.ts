/** The browser takes and refuses what the server does. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseJson } from '../../src/domain/input/json.ts';
import { declared, libraryFile } from '../../test/support/data/library.ts';
import { jsonOfCell } from '../screens/import/cell.ts';
import { problemIn } from './check-value.ts';
import type { FieldDeclaration } from './declarations.ts';

const fields: Readonly<Record<string, FieldDeclaration>> = {
  text: { type: 'text', min: 1, max: 3 },
  any_text: { type: 'text' },
  pattern: { type: 'text', pattern: '^[0-9]{2}$' },
  integer: { type: 'integer', min: -5, max: '9007199254740993' },
  any_integer: { type: 'integer' },
  number: { type: 'number', min: -1000, max: 1e6 },
  any_number: { type: 'number' },
  decimal: { type: 'decimal', scale: 2, min: '0', max: '99.99' },
  whole: { type: 'decimal', scale: 0 },
  boolean: { type: 'boolean' },
  date: { type: 'date', min: '1450-01-01', max: '2100-12-31' },
  any_date: { type: 'date' },
  timestamp: { type: 'timestamp' },
  choice: { type: 'choice', of: ['draft', 'published'] },
  list: { type: 'list', of: 'text', min: 1, max: 2 },
  integers: { type: 'list', of: { type: 'integer', min: 0 } },
  json: { type: 'json', max: 20 },
  reference: { type: 'reference', to: 'authors' },
};
const { authors, publishers } = libraryFile;
const all = declared({ authors, publishers, all: { fields } }).find(({ name }) => name === 'all');
const writable = all?.record.writable ?? {};

const values = fc.oneof(
  fc.constantFrom(
    ...['1', '-1', '0', '-0', '1e2', '1.50', '0.7e1', '1.5', '9007199254740993', '9007199254740994', '1e400', '1e-7'],
    ...['9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809', '1e18', '1e19'],
    ...[
      'true',
      'false',
      '""',
      '"a"',
      '"abcd"',
      '"😀😀😀"',
      '"12"',
      '"\\u0000"',
      '"\\ud800"',
      '"draft"',
      '"gone"',
      '"TRUE"',
    ],
    ...['"0"', '"1.5"', '"1.50"', '"1.505"', '"-1"', '"99.99"', '"100"', '"1e2"', '"."', '"00.10"', '"1."', '" 1"'],
    ...['"2024-02-29"', '"2026-02-30"', '"1066-10-14"', '"0000-01-01"', '"2026-1-1"', '"2200-01-01"', '"2023-02-29"'],
    ...['"2026-11-15T10:00:00Z"', '"2026-11-15T10:00Z"', '"2026-11-15T24:00:00Z"', '"2026-11-15t10:00:00.12345+02:00"'],
    ...[
      '"2026-11-15T10:00:60Z"',
      '"2026-11-15T10:00:00+25:00"',
      '"2026-11-15 10:00:00Z"',
      '"0001-01-01T00:00:00+01:00"',
    ],
    ...[
      '[]',
      '["a"]',
      '["a",null]',
      '["a","b","c"]',
      '[1,2]',
      '[-1]',
      '[1.5]',
      '[[1]]',
      '{}',
      '{"a":[1.50]}',
      '{ "a" : 1 }',
    ],
    ...['["\\u0000"]', '{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d"}', '{"a":"more than twenty bytes"}', '"text"'],
  ),
  fc.json({ maxDepth: 2 }),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.string().map((text) => JSON.stringify(text)),
);

/** The verdict of the server on a member of a body. */
function serverTakes(name: string, value: string): boolean {
  const field = writable[name];
  if (field === undefined) throw new Error(name);
  const json = parseJson(`{"x":${value}}`);
  const read = field.read((json.value as { x: unknown }).x, field.takesText ? json.text('x') : json.literal('x'));
  return typeof read !== 'object';
}

describe.each(Object.keys(fields))('%s', (name) => {
  const field = fields[name] ?? { type: '' };

  test('a value in JSON', () => {
    fc.assert(
      fc.property(values, (value) => {
        if (value === 'null') return;
        expect({ value, taken: problemIn(value, field) === undefined }).toEqual({
          value,
          taken: serverTakes(name, value),
        });
      }),
      { numRuns: 500 },
    );
  });

  test('a cell of CSV, and the value that is sent for it', () => {
    const cells = fc.oneof(
      values.map((value) => (value.startsWith('"') ? String(JSON.parse(value)) : value)),
      fc.constantFrom(
        '007',
        '-007.50',
        '+1',
        '1_000',
        '0x10',
        ' 1',
        'TRUE',
        'False',
        "'=1",
        "'-5",
        '.5',
        '5.',
        '00',
        '-0',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(cells, (cell) => {
        const own = writable[name];
        const read = own?.readCell(cell.startsWith("'") && /^'+[=+\-@]/.test(cell) ? cell.slice(1) : cell);
        const json = jsonOfCell(cell, field);
        const isTaken = json !== undefined && json !== 'null' && problemIn(json, field) === undefined;
        expect({ cell, isTaken }).toEqual({ cell, isTaken: typeof read !== 'object' });
        if (!isTaken || own === undefined) return;
        const sent = parseJson(`{"x":${json}}`);
        const arrived = own.read((sent.value as { x: unknown }).x, own.takesText ? sent.text('x') : sent.literal('x'));
        expect(arrived).toEqual(read as typeof arrived);
      }),
      { numRuns: 500 },
    );
  });
});
