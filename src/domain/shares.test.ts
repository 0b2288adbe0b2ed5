import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { Shares } from './shares.ts';

const open = (most: number) => new Shares<string>(most, (client) => client);

/** Takes slots for the client until there is no room, and returns them. */
function fill(shares: Shares<string>, client: string): string[] {
  const taken: string[] = [];
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
  shares.giveBack(taken.pop() ?? '');
  expect(fill(shares, '')).toHaveLength(1);
  expect(fill(shares, 'second')).toHaveLength(2);
  expect(shares.hasRoom('third')).toBe(false);
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

test('a client without slots uses no memory', () => {
  const shares = open(4);
  for (let n = 0; n < 2; n++) shares.take('always');
  const strings = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts.string ?? 0;
  };
  const before = strings();
  for (let n = 0; n < 50_000; n++) shares.giveBack(shares.take(`client ${n}`));
  expect(strings() - before).toBeLessThan(10_000);
  expect(shares.used).toBe(2);
});

test('a client that returns each slot keeps its full share', () => {
  const shares = open(8);
  for (let n = 0; n < 2; n++) shares.take('always');
  for (let n = 0; n < 10; n++) shares.giveBack(shares.take('first'));
  expect(fill(shares, 'first')).toHaveLength(4);
});
