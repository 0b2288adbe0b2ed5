import { expect, test } from 'bun:test';
import { shouldCollect } from './heap-guard.ts';

const mib = 1024 ** 2;

test.each<[string, number, number, boolean]>([
  ['less than half is in use', 127, 0, false],
  ['more than half is in use', 129, 0, true],
  ['the heap has grown little since the last collection', 150, 140, false],
  ['the heap has grown much since the last collection', 157, 140, true],
  ['the last collection freed much', 129, 100, true],
])('of 256 MiB: %s', (_, used, before, collect) => {
  expect(shouldCollect(used * mib, before * mib, 256 * mib)).toBe(collect);
});
