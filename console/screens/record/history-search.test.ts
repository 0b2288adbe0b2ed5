import { expect, test } from 'bun:test';
import type { Change } from '../../api/feed.ts';
import { type FeedSource, HistorySearch } from './history-search.ts';

const signal = new AbortController().signal;
const change = (seq: number, id: number, version: number, type = 'updated'): Change => ({
  seq: String(seq),
  type: `book.${type}`,
  at: '',
  by: null,
  record: new Map([
    ['id', String(id)],
    ['version', String(version)],
  ]),
  before: undefined,
  match: undefined,
});

/** A feed with these changes; `start` is the change behind which it begins. */
function feedOf(changes: readonly Change[], start = 0): FeedSource & { reads: number } {
  return {
    reads: 0,
    latest: async () => Number(changes.at(-1)?.seq ?? start),
    async read(after) {
      this.reads++;
      if (after < start) return { startsAfter: start };
      const page = changes.filter(({ seq }) => Number(seq) > after).slice(0, 1000);
      return { changes: page, last: Number(page.at(-1)?.seq ?? after) };
    },
  };
}

const others = (from: number, count: number) =>
  Array.from({ length: count }, (_, place) => change(from + place, 999, 1));
const found = (search: HistorySearch) => search.changes.map(({ seq }) => Number(seq));

test('the latest first, back to the creation', async () => {
  const feed = feedOf([
    change(1, 7, 1, 'created'),
    ...others(2, 500),
    change(502, 7, 2),
    ...others(503, 100),
    change(603, 7, 3),
  ]);
  const search = new HistorySearch(feed, '7');
  await search.continue(signal);
  expect(found(search)).toEqual([603, 502, 1]);
  expect(search.isComplete).toBe(true);
});

test('a busy feed is searched some windows at a time, and none twice', async () => {
  const feed = feedOf([change(1, 7, 1, 'created'), ...others(2, 30_000)]);
  const search = new HistorySearch(feed, '7');
  await search.continue(signal);
  expect(search.isComplete).toBe(false);
  expect(feed.reads).toBeLessThan(30);
  await search.continue(signal);
  await search.continue(signal);
  expect(found(search)).toEqual([1]);
  expect(search.isComplete).toBe(true);
});

test('a gap in the numbers, as after a restore, is passed in a few steps', async () => {
  const gap = 1_000_000_000;
  const feed = feedOf([change(5, 7, 1, 'created'), change(6, 7, 2), change(gap + 7, 7, 3), ...others(gap + 8, 10)]);
  const search = new HistorySearch(feed, '7');
  while (!search.isComplete) await search.continue(signal);
  expect(found(search)).toEqual([gap + 7, 6, 5]);
  expect(feed.reads).toBeLessThan(30);
});

test('a history that is trimmed ends where the feed begins', async () => {
  const feed = feedOf([change(5001, 7, 8), ...others(5002, 1500), change(6502, 7, 9)], 5000);
  const search = new HistorySearch(feed, '7');
  while (!search.isComplete) await search.continue(signal);
  expect(found(search)).toEqual([6502, 5001]);
});

test('a record without changes', async () => {
  const search = new HistorySearch(feedOf([]), '7');
  await search.continue(signal);
  expect(search.isComplete).toBe(true);
  expect(search.changes).toEqual([]);
});
