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
])('of %d one client gets %d, and another %d', (most, first, second) => {
  const shares = open(most);
  expect(fill(shares, 'first')).toHaveLength(first);
  expect(fill(shares, 'second')).toHaveLength(second);
  expect(shares.used).toBe(most);
});

test('what is handed back can be taken again, by the same client and by another', () => {
  const shares = open(8);
  const taken = fill(shares, '');
  expect(taken).toHaveLength(6);
  shares.giveBack(taken.pop() ?? '');
  expect(fill(shares, '')).toHaveLength(1);
  expect(fill(shares, 'second')).toHaveLength(2);
  expect(shares.hasRoom('third')).toBe(false);
});

test('while there is plenty of room nobody is asked who they are', () => {
  const shares = new Shares<undefined>(8, () => {
    throw new Error('asked');
  });
  const taken = [shares.take(undefined), shares.take(undefined)];
  expect(() => shares.hasRoom(undefined)).toThrow('asked');
  for (const name of taken) shares.giveBack(name);
  expect(shares.hasRoom(undefined)).toBe(true);
});

test('a client that has handed everything back is forgotten', () => {
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

test('a client that hands back each one that it takes keeps its whole share', () => {
  const shares = open(8);
  for (let n = 0; n < 2; n++) shares.take('always');
  for (let n = 0; n < 10; n++) shares.giveBack(shares.take('first'));
  expect(fill(shares, 'first')).toHaveLength(4);
});
