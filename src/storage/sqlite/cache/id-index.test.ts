/** What an index of ids takes of the memory when most of its ids are gone. */
import { expect, test } from 'bun:test';
import { IdIndex } from './id-index.ts';

test('an index takes no more memory for as long as most of its ids are gone when it is full', () => {
  const index = new IdIndex();
  const { memory } = index;
  // It is full at half of its 64 slots; 17 of those 32 are most of them.
  const live: bigint[] = [];
  let next = 0n;
  const add = () => {
    index.add(next, Number(next));
    live.push(next++);
  };
  for (let round = 0; round < 10; round++) {
    while (live.length < 32) add();
    for (const id of live.splice(0, 17)) index.remove(id);
    // Finds it full, and makes room.
    add();
    expect(index.memory).toBe(memory);
  }
  for (const id of live) expect(index.find(id)).toBe(Number(id));
  expect(index.find((live[0] ?? 0n) - 1n)).toBeUndefined();
  while (live.length < 33) add();
  expect(index.memory).toBe(2 * memory);
});
