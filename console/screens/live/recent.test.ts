import { expect, test } from 'bun:test';
import { changeOf } from '../../api/feed.ts';
import { entryOf, mostShown, Recent } from './recent.ts';

const change = (seq: number, record = '{"id":9007199254740993,"version":1,"name":"Lamp","price":-0}', more = '') =>
  changeOf(
    `{"seq":${seq},"type":"reading_list.updated","at":"2026-11-15T10:00:00.000Z","by":"shop","record":${record}${more}}`,
  );

test('an entry has the digits of its record, and not the fields that every record has', () => {
  expect(entryOf(change(7))).toEqual({
    seq: '7',
    kind: 'updated',
    singular: 'reading_list',
    id: '9007199254740993',
    at: '2026-11-15T10:00:00.000Z',
    by: 'shop',
    fields: [
      { name: 'name', before: undefined, value: '"Lamp"' },
      { name: 'price', before: undefined, value: '-0' },
    ],
    more: 0,
  });
});

test('an update has the fields that it changed, as they were and as they are', () => {
  const record = '{"id":1,"version":2,"name":"Lamp","price":0.1,"note":null}';
  expect(entryOf(change(1, record, ',"before":{"version":1,"price":-0,"note":"old"}')).fields).toEqual([
    { name: 'price', before: '-0', value: '0.1' },
    { name: 'note', before: '"old"', value: 'null' },
  ]);
});

test('a long text is cut; a number is whole or left out', () => {
  const { fields, more } = entryOf(change(1, `{"id":1,"name":"${'x'.repeat(1e6)}","big":[${'1,'.repeat(1e5)}1]}`));
  expect(fields[0]?.value.length).toBeLessThan(90);
  expect(fields[1]?.value).toBe('"(long)"');
  expect(more).toBe(0);
  const many = Array.from({ length: 30 }, (_, place) => `"n${place}":9007199254740993`).join();
  const line = entryOf(change(1, `{"id":1,${many}}`));
  expect(line.fields.every(({ value }) => value === '9007199254740993')).toBe(true);
  expect(line.fields.length + line.more).toBe(30);
  expect(line.more).toBeGreaterThan(0);
});

test('the newest are kept, and all are counted', () => {
  const recent = new Recent();
  for (let seq = 1; seq <= 10_001; seq++) recent.add(entryOf(change(seq)));
  expect(recent.count).toBe(10_001);
  expect(recent.newest().map(({ seq }) => Number(seq))).toEqual(
    Array.from({ length: mostShown }, (_, place) => 10_001 - place),
  );
});
