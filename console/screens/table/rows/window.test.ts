import { expect, test } from 'bun:test';
import { scrolledBy, scrolledTo, windowOf } from './window.ts';

test('a short list is there as a whole', () => {
  expect(windowOf({ top: 0, height: 600, rowHeight: 28, length: 5 })).toEqual({
    first: 0,
    last: 5,
    firstSeen: 0,
    lastSeen: 5,
    before: 0,
    after: 0,
  });
});

test('a long list: the rows in view are drawn at their place', () => {
  const seen = windowOf({ top: 2800, height: 560, rowHeight: 28, length: 1000 });
  expect(seen).toEqual({
    first: 88,
    last: 128,
    firstSeen: 100,
    lastSeen: 120,
    before: 88 * 28,
    after: (1000 - 128) * 28,
  });
});

test('a list that is taller than a browser can draw: its first and last row can be reached', () => {
  const length = 2_000_000;
  const options = { height: 600, rowHeight: 30, length };
  expect(windowOf({ ...options, top: 0 }).firstSeen).toBe(0);
  const end = windowOf({ ...options, top: 15_000_000 - 600 });
  expect(end.lastSeen).toBe(length);
  expect(end.after).toBe(0);
  expect(end.before + (end.last - end.first) * 30).toBe(15_000_000);
  const middle = windowOf({ ...options, top: 7_000_000 });
  expect(middle.firstSeen / length).toBeCloseTo(7 / 15, 3);
});

test('a row is scrolled into view, as far as needed', () => {
  const scroll = { top: 2800, height: 560, rowHeight: 28, length: 1000 };
  expect(scrolledTo(110, scroll)).toBe(2800);
  expect(scrolledTo(99, scroll)).toBe(99 * 28);
  expect(scrolledTo(120, scroll)).toBe(2828);
  const tall = { top: 0, height: 600, rowHeight: 30, length: 2_000_000 };
  const end = scrolledTo(1_999_999, tall);
  expect(windowOf({ ...tall, top: end }).lastSeen).toBe(2_000_000);
});

test('a row more before the view is scrolled over', () => {
  expect(scrolledBy(2, { top: 2800, height: 560, rowHeight: 28, length: 1000 })).toBe(56);
  const tall = { top: 7_000_000, height: 600, rowHeight: 30, length: 2_000_000 };
  const before = windowOf(tall).firstSeen;
  expect(windowOf({ ...tall, top: tall.top + scrolledBy(100, tall) }).firstSeen).toBe(before + 100);
});

test('a small step draws the same rows', () => {
  const scroll = { height: 560, rowHeight: 28, length: 1000 };
  const { firstSeen: _, lastSeen: __, ...drawn } = windowOf({ ...scroll, top: 2810 });
  expect(windowOf({ ...scroll, top: 2820 })).toMatchObject(drawn);
});
