/** Ids that a table finds in unusual places. */
import { expect, test } from 'bun:test';
import { halvesOf, hash } from './hash.ts';
import { Memory } from './memory.ts';

/** The number whose product with this odd one is 1. */
function inverse(odd: number): number {
  let found = odd;
  for (let step = 0; step < 5; step++) found = Math.imul(found, 2 - Math.imul(odd, found));
  return found;
}

/** The id with this hash and nothing in its high half. */
function idWith(hashed: number, seed: number): bigint {
  let mixed = Math.imul(hashed, inverse(0x27d4eb2f));
  mixed ^= (mixed >>> 13) ^ (mixed >>> 26);
  mixed = Math.imul(mixed, inverse(0xc2b2ae35));
  mixed ^= (mixed >>> 15) ^ (mixed >>> 30);
  const low = Math.imul(mixed, inverse(0x9e3779b1)) ^ Math.imul(seed, 0x85ebca6b);
  return BigInt(low >>> 0);
}

test('more ids than a page has room for may have the same bits in their hashes', () => {
  const memory = new Memory(1);
  const [table] = memory.tables;
  if (table === undefined) throw new Error('no table');
  const add = (recordId: number, id: bigint) =>
    table.append({ recordId, version: 1, created: 0, updated: 0 }, id, `{"id":${id}}`);
  add(1, 1n);
  memory.publish();
  const { seed } = table.header;
  const ids = Array.from({ length: 1000 }, (_, index) => idWith(0xabcde000 + index, seed));
  expect(hash(halvesOf(ids[7] ?? 0n), seed)).toBe(0xabcde007);
  ids.forEach((id, index) => {
    add(index + 2, id);
  });
  memory.publish();
  const found = () => ids.filter((id) => table.find(id) !== undefined).length;
  expect(found()).toBe(1000);
  ids.slice(0, 400).forEach((id, index) => {
    table.remove(index + 2, id, 0);
  });
  memory.publish();
  expect(found()).toBe(600);
  // Pages with room are used again.
  const before = table.memory;
  ids.slice(0, 400).forEach((id, index) => {
    add(index + 2000, id);
  });
  memory.publish();
  expect(found()).toBe(1000);
  expect(table.memory - before).toBeLessThan(20 * 4096);
  table.clear();
  memory.publish();
  expect([found(), table.memory]).toEqual([0, 0]);
});
