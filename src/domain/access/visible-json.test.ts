import { expect, test } from 'bun:test';
import { declared } from '../../../test/support/data/library.ts';
import type { Collection } from '../record/collection.ts';
import type { Stored } from '../record/record.ts';
import { seenCollection } from './seen-collection.ts';
import { concealerOf, visibleRecord } from './visible-json.ts';

const fields = {
  first: 'text',
  note: { type: 'text', optional: true },
  tags: { type: 'list', of: 'text' },
  cost: { type: 'decimal', scale: 2 },
  last: 'text',
} as const;
const collectionOf = (more: object = {}): Collection => {
  const [found] = declared({ things: { singular: 'thing', fields: { ...fields, ...more } } }).filter(
    ({ name }) => name === 'things',
  );
  if (found === undefined) throw new Error('no things');
  return found;
};
const things = collectionOf();
const seenOf = (...hidden: string[]) =>
  seenCollection(
    things,
    (field) => !hidden.includes(field),
    () => true,
  );

/** Texts that look like members. */
const hostile = ['', '"', ',"cost":', '","cost":"1.00","', '\\', '\\",\\"last\\":', '{},"version":', 'é\u2028'];
const record = (n: number): Stored => {
  const text = (shift: number) => hostile[(n + shift) % hostile.length] ?? '';
  const at = '2026-01-01T00:00:00.000Z';
  const tags = JSON.stringify([text(1), 'cost', text(2)]);
  const row = { first: text(0), note: n % 3 === 0 ? null : text(3), tags, cost: '1.50', last: text(4) };
  return { recordId: n + 1, version: 1, createdAt: at, updatedAt: at, row };
};
const texts = hostile.map((_, n) => things.record.encode(record(n)));

test.each([
  [['first']],
  [['note']],
  [['tags', 'cost']],
  [['last']],
  [['first', 'note', 'tags', 'cost', 'last']],
  [['first', 'tags', 'last']],
])('without %j, one record and several', (hidden) => {
  const seen = seenOf(...hidden);
  const conceal = concealerOf(things, seen);
  const expected = texts.map((text) => visibleRecord(seen, text));
  expect(texts.map((text) => conceal?.(text))).toEqual(expected);
  expect(conceal?.(texts.join())).toBe(expected.join());
  expect(conceal?.('')).toBe('');
});

test('an unknown order is an error, and shows nothing', () => {
  const conceal = concealerOf(things, seenOf('first', 'cost'));
  expect(() => conceal?.('{"id":1,"cost":"1.50","version":1}')).toThrow('a hidden member is left');
});

test('JSON has members of its own', () => {
  const withJson = collectionOf({ meta: { type: 'json', optional: true } });
  expect(concealerOf(withJson, seenOf('cost'))).toBeUndefined();
});
