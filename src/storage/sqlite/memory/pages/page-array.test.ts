/** Arrays of words in pages. */
import { expect, test } from 'bun:test';
import { Memory } from '../memory.ts';
import { PageArray, WritablePageArray } from './page-array.ts';

function open() {
  const memory = new Memory(1);
  const [table] = memory.tables;
  if (table === undefined) throw new Error('no table');
  return { memory, own: table.own, array: new WritablePageArray(table.own) };
}

test('an array has every word, with one, two and three levels of pages', () => {
  const { array, own } = open();
  const length = 2 ** 20 + 3000;
  for (let index = 0; index < length; index++) array.append(index * 3);
  // More chunks than 16 GiB have, and the bounds of the levels.
  for (const index of [0, 1023, 1024, 16_384, 32_768, 2 ** 20 - 1, 2 ** 20, length - 1])
    expect([index, array.get(index)]).toEqual([index, index * 3]);
  let wrong = 0;
  for (let index = 0; index < length; index++) if (array.get(index) !== index * 3) wrong++;
  expect(wrong).toBe(0);
  array.clear();
  expect([array.length, own.bytes]).toEqual([0, 0]);
});

test('what a root shows stays as it is, whatever is changed and added', () => {
  const { memory, array, own } = open();
  for (let index = 0; index < 5000; index++) array.append(index);
  memory.publish();
  const { top, length } = array;
  const shown = new PageArray(own.pages);
  shown.load(top, length);
  for (let index = 0; index < 5000; index += 7) array.set(index, 1_000_000 + index);
  for (let index = 5000; index < 2_000_000; index++) array.append(index);
  const words = Array.from({ length }, (_, index) => shown.get(index));
  expect(words).toEqual(Array.from({ length }, (_, index) => index));
  expect([array.get(7), array.get(8), array.get(1_999_999)]).toEqual([1_000_007, 8, 1_999_999]);
});

test('a change copies the pages on its way once in a commit', () => {
  const { memory, array, own } = open();
  for (let index = 0; index < 5000; index++) array.append(index);
  memory.publish();
  const before = own.allocator.bytes;
  for (let index = 0; index < 1000; index++) array.set(index, 0);
  // The page of words, and the one above it.
  expect(own.allocator.bytes - before).toBeLessThanOrEqual(2 * 4096);
});
