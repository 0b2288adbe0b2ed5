import { expect, test } from 'bun:test';
import { race } from '../../../test/support/threads/race.ts';
import { slots } from '../../../test/support/threads/racer.ts';
import { kibibytes, newShares, Shares } from './shares.ts';

const open = (most: number, shared = newShares()) => new Shares<string>(most, (client) => client, shared);

/** Takes slots for the client until there is no room, and returns them. */
function fill(shares: Shares<string>, client: string): number[] {
  const taken: number[] = [];
  while (shares.hasRoom(client)) taken.push(shares.take(client));
  return taken;
}

test.each([
  [1, 1, 0],
  [2, 2, 0],
  [4, 3, 1],
  [2000, 1500, 500],
])('of %d slots the first client gets %d, and the next one %d', (most, first, second) => {
  const shares = open(most);
  expect(fill(shares, 'first')).toHaveLength(first);
  expect(fill(shares, 'second')).toHaveLength(second);
  expect(shares.used).toBe(most);
});

test('a returned slot can be taken again, by the same or another client', () => {
  const shares = open(8);
  const taken = fill(shares, '');
  expect(taken).toHaveLength(6);
  shares.giveBack(taken.pop() ?? 0);
  expect(fill(shares, '')).toHaveLength(1);
  expect(fill(shares, 'second')).toHaveLength(2);
  expect(shares.hasRoom('third')).toBe(false);
});

test('an amount counts for its client in all threads, and its own part of it does not stop it', () => {
  const shared = newShares();
  const [one, other] = [open(8, shared), open(8, shared)];
  const [greedy, second] = [one.counterOf('greedy'), other.counterOf('second')];
  one.add(greedy, 4);
  expect([other.isBelowShare(greedy), other.hasRoom('greedy'), one.mayGrow(greedy, 2)]).toEqual([true, true, true]);
  expect(other.tryAdd(greedy, 2)).toBe(true);
  expect([one.isBelowShare(greedy), one.hasRoom('greedy')]).toEqual([false, false]);
  expect([one.isBelowShare(greedy, 1), one.isBelowShare(second)]).toEqual([true, true]);
  expect([one.tryAdd(greedy, 1), one.tryAdd(greedy, 1, 1), one.tryAdd(second, 2)]).toEqual([false, true, false]);
  expect(other.used).toBe(7);
  other.add(greedy, -7);
  expect(one.used).toBe(0);
});

test('an amount may exceed 2 GiB, and the clients of a proxy have no share', () => {
  const shares = new Shares<string>(kibibytes(2 ** 40), () => undefined);
  const counter = shares.counterOf('proxy');
  expect(shares.tryAdd(counter, kibibytes(2 ** 40 - 1))).toBe(true);
  expect([shares.used, shares.isBelowShare(counter), shares.tryAdd(counter, 1)]).toEqual([2 ** 30, true, false]);
  shares.add(counter, 1);
  expect(shares.mayGrow(counter, 1)).toBe(true);
});

test('clients have counters of their own, which differ from process to process', () => {
  const countersOf = () => {
    const shares = open(8);
    return Array.from({ length: 50 }, (_, n) => shares.counterOf(`client ${n}`));
  };
  const first = countersOf();
  // Two of fifty may share one.
  expect(new Set(first).size).toBeGreaterThan(45);
  expect(countersOf()).not.toEqual(first);
});

test('the client is not identified while less than a quarter of the slots is used', () => {
  const shares = new Shares<undefined>(8, () => {
    throw new Error('asked');
  });
  const taken = [shares.take(undefined), shares.take(undefined)];
  expect(() => shares.hasRoom(undefined)).toThrow('asked');
  for (const name of taken) shares.giveBack(name);
  expect(shares.hasRoom(undefined)).toBe(true);
});

test('a client that returns each slot keeps its full share', () => {
  const shares = open(8);
  for (let n = 0; n < 2; n++) shares.take('always');
  for (let n = 0; n < 10; n++) shares.giveBack(shares.take('first'));
  expect(fill(shares, 'first')).toHaveLength(4);
});

test('tryTake refuses what hasRoom refuses, and then takes nothing', () => {
  const shares = open(8);
  while (shares.tryTake('first') !== undefined);
  expect(shares.used).toBe(6);
  expect(shares.hasRoom('first')).toBe(false);
  while (shares.tryTake('second') !== undefined);
  expect(shares.used).toBe(8);
});

test('no thread loses a slot, and a client never has more than its share', async () => {
  const shared = newShares();
  const shares = new Shares<string>(slots.most, (client) => client, shared);
  // The quarter that counts against no client.
  for (let n = 0; n < slots.most / 4; n++) shares.take('first');
  const kept = await race({ name: 'shares', shared, steps: 300_000 });
  const left = kept.flat().reduce((sum, one) => sum + one, 0);
  expect(left).toBeLessThanOrEqual(slots.ofOneClient);
  expect(shares.used).toBe(slots.most / 4 + left);
  expect(fill(shares, 'client')).toHaveLength(slots.ofOneClient - left);
});
