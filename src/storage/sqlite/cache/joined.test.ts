import { expect, test } from 'bun:test';
import { joined } from './joined.ts';

const part = (length: number, byte: number) => new Uint8Array(length).fill(byte);

test('small parts are joined in order, and a large one stays alone', () => {
  const kb = 1024;
  const parts = [part(1, 1), part(100 * kb, 2), part(27 * kb, 3), part(300 * kb, 4), part(0, 5), part(1, 6)];
  const found = [...joined(parts)];
  expect(found.map(({ length }) => length)).toEqual([127 * kb + 1, 300 * kb, 1]);
  expect(Buffer.concat(found).equals(Buffer.concat(parts))).toBe(true);
});

test('nothing is no part', () => {
  expect([...joined([])]).toEqual([]);
});
