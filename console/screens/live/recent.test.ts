import { expect, test } from 'bun:test';
import { changeOf } from '../../api/feed.ts';
import { entryOf, mostShown, Recent } from './recent.ts';

const change = (seq: number, record = '{"id":9007199254740993,"version":1,"name":"Lamp","price":-0}') =>
  changeOf(
    `{"seq":${seq},"type":"reading_list.updated","at":"2026-11-15T10:00:00.000Z","by":"shop","record":${record}}`,
  );

test('an entry has the digits of its record, and not the fields that every record has', () => {
  expect(entryOf(change(7))).toEqual({
    seq: '7',
    kind: 'updated',
    singular: 'reading_list',
    id: '9007199254740993',
    at: '2026-11-15T10:00:00.000Z',
    by: 'shop',
    summary: 'name: "Lamp", price: -0',
  });
});

test('a long record is cut', () => {
  expect(entryOf(change(1, `{"id":1,"name":"${'x'.repeat(1e6)}"}`)).summary.length).toBeLessThan(310);
});

test('the newest are kept, and all are counted', () => {
  const recent = new Recent();
  for (let seq = 1; seq <= 10_001; seq++) recent.add(entryOf(change(seq)));
  expect(recent.count).toBe(10_001);
  expect(recent.newest().map(({ seq }) => Number(seq))).toEqual(
    Array.from({ length: mostShown }, (_, place) => 10_001 - place),
  );
});
