/** Records of NDJSON, wherever the bytes are cut. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { items } from '../../collections/items.ts';
import { JsonLines } from './json-lines.ts';
import type { Entry } from './text-entry.ts';

function read(bytes: Uint8Array, cuts: readonly number[] = [], mapped: [string, string | undefined][] = []): string[] {
  const reader = new JsonLines(items, { maxLine: 200, mapped: new Map(mapped) });
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((one, two) => one - two);
  const entries: Entry[] = [
    ...ends.flatMap((end, index) => reader.push(bytes.subarray(ends[index - 1] ?? 0, end))),
    ...reader.end(),
  ];
  return entries.map((entry) =>
    'json' in entry
      ? `${entry.line} ${entry.json}`
      : `${entry.line}${entry.isFinal ? ' final' : ''} ${entry.failure.detail}`,
  );
}
const text = (source: string) => new TextEncoder().encode(source);

test('lines in any pieces, with blank ones, CRLF and a byte order mark, are the same records', () => {
  const source = text(
    '\ufeff{"name":"é😀","price":1e-7}\r\n\n  \n{"external_id":9007199254740993,"name":"\\n","price":-0}\n{"name":1}\nx\n{"id":7,"name":"b","price":2,"version":9}',
  );
  const expected = [
    '1 {"name":"é😀","price":1e-7}',
    '4 {"id":9007199254740993,"name":"\\n","price":-0}',
    '5 Invalid item: name must be a string; price is required.',
    '6 The body is not valid JSON (Unexpected identifier "x").',
    '7 {"name":"b","price":2}',
  ];
  expect(read(source)).toEqual(expected);
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 20 }), (cuts) => {
      expect(read(source, cuts)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test('a long line and a byte that is not UTF-8 end it, after the records before them', () => {
  const good = '{"name":"a","price":1}\n';
  const long = read(text(`${good}{"name":"${'x'.repeat(300)}","price":1}\n${good}`));
  expect(long).toEqual(['1 {"name":"a","price":1}', '2 final The line is over the limit of 200 characters.']);
  expect(read(text(`${good}${'x'.repeat(300)}`))).toEqual(long);
  expect(read(Buffer.from(`${good}{"name":"\xe9","price":1}\n`, 'latin1'))).toEqual([
    '1 {"name":"a","price":1}',
    '2 final The line has the byte 0xE9 at offset 32, which is not UTF-8.',
  ]);
});

test('members are renamed and left out, and keep every digit', () => {
  const source = '{"Number":9223372036854775807,"Name":"a","price":0.1,"Notes":{"name":"x"}}';
  expect(
    read(
      text(source),
      [],
      [
        ['Number', 'external_id'],
        ['Name', 'name'],
        ['Notes', undefined],
      ],
    ),
  ).toEqual(['1 {"id":9223372036854775807,"name":"a","price":0.1}']);
  expect(read(text('{"a":"x","name":"y","price":1}'), [], [['a', 'name']])).toEqual([
    '1 Invalid item: name two members are mapped to name.',
  ]);
});
