import { expect, test } from 'bun:test';
import { resyncPoint } from './feed-history.ts';

const restored = { last: 1012, trimmed: 3, gaps: [[7, 1007]] } as const;

test.each([
  [0, 3],
  [2, 3],
  [3, undefined],
  [7, undefined],
  [8, 1007],
  [1006, 1007],
  [1007, undefined],
  [1012, undefined],
  [1013, 1012],
])('the resync point of a follower at change %p is %p', (after, point) => {
  expect(resyncPoint(restored, after)).toBe(point as never);
});

test('a resync skips a gap that was trimmed', () => {
  expect(resyncPoint({ ...restored, trimmed: 1010 }, 8)).toBe(1010);
});
