import { expect, test } from 'bun:test';
import { LastSeen, newLastSeen } from './last-seen.ts';

test('a name that one thread has seen is known to all, until it is forgotten', () => {
  const shared = newLastSeen();
  const [one, other] = [new LastSeen(shared), new LastSeen(shared)];
  one.see('name', 5000);
  expect(other.seenAt('name')).toBe(5000);
  expect(other.seenAt('another')).toBeUndefined();
  other.see('name', 9000);
  expect(one.seenAt('name')).toBe(9000);
  other.forget('name');
  expect(one.seenAt('name')).toBeUndefined();
  one.see('name', 10_000);
  expect(other.seenAt('name')).toBe(10_000);
});

test('a name that was seen in the first second is known', () => {
  const recent = new LastSeen();
  recent.see('early', 0);
  expect(recent.seenAt('early')).toBeDefined();
});

test('ten thousand names have room, and of more the latest are kept', () => {
  const recent = new LastSeen();
  const known = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => recent.seenAt(`name ${from + n}`)).filter((at) => at !== undefined)
      .length;
  for (let n = 0; n < 10_000; n++) recent.see(`name ${n}`, n * 1000 + 1000);
  // A set of eight is full before the others are.
  expect(known(0, 10_000)).toBeGreaterThan(9500);
  for (let n = 10_000; n < 100_000; n++) recent.see(`name ${n}`, n * 1000 + 1000);
  // Of those after them, each set got 44 on average: fewer than eight in none.
  expect(known(0, 10_000)).toBe(0);
  expect(known(95_000, 100_000)).toBeGreaterThan(4900);
});
