import { expect, test } from 'bun:test';
import { limits } from './limits.ts';

test.each([
  ['maxConnections', 900_000],
  ['maxRequests', 100_000],
  ['maxListeners', 100_000],
] as const)('%s is from 1 to %d', (name, most) => {
  const { parse, expected } = limits[name];
  expect(expected).toBe(`a number from 1 to ${most}`);
  expect([0, 1, most, most + 1].map((one) => parse(String(one)))).toEqual([undefined, 1, most, undefined]);
});
