/** The memory of an index of ids when most of its ids are removed. */
import { expect, test } from 'bun:test';
import { IdIndex } from './id-index.ts';

test('an index does not grow if most of its ids are removed when it is full', () => {
  const index = new IdIndex();
  const { memory } = index;
  // The index is full at half of its 64 slots; 17 of those 32 are the majority.
  const live: bigint[] = [];
  let next = 0n;
  const add = () => {
    index.add(next, Number(next));
    live.push(next++);
  };
  for (let round = 0; round < 10; round++) {
    while (live.length < 32) add();
    for (const id of live.splice(0, 17)) index.remove(id);
    // The index is full, so this removes the deleted ids.
    add();
    expect(index.memory).toBe(memory);
  }
  for (const id of live) expect(index.find(id)).toBe(Number(id));
  expect(index.find((live[0] ?? 0n) - 1n)).toBeUndefined();
  while (live.length < 33) add();
  expect(index.memory).toBe(2 * memory);
});
