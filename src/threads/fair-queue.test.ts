import { expect, test } from 'bun:test';
import { FairQueue } from './fair-queue.ts';

function filled(): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.slice(0, 1), item);
  return queue;
}

function all(queue: FairQueue<string>, may?: (client?: string) => boolean): (string | undefined)[] {
  const taken: (string | undefined)[] = [];
  for (let item = queue.take(may); item !== undefined; item = queue.take(may)) taken.push(item);
  return taken;
}

test('clients take turns, and the items of each stay in order', () => {
  const queue = filled();
  expect(all(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(queue.isEmpty).toBe(true);
});

test('a client that is not accepted is skipped, and keeps its turn', () => {
  const queue = filled();
  expect(all(queue, (client) => client !== 'a')).toEqual(['b1', 'c1', 'c2']);
  expect(all(queue)).toEqual(['a1', 'a2', 'a3']);
});

test('removed items are not taken later', () => {
  const queue = filled();
  expect(queue.remove((item) => item.endsWith('1'))).toEqual(['a1', 'b1', 'c1']);
  expect(all(queue)).toEqual(['a2', 'c2', 'a3']);
});
