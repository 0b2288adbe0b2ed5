import { expect, spyOn, test } from 'bun:test';
import { guardHeap, shouldCollect } from './heap-guard.ts';

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

test('the heap is collected when it has grown, again and again, unless the runtime knows the limit', () => {
  const timers = spyOn(globalThis, 'setInterval').mockImplementation((() => {}) as never);
  const collections = spyOn(Bun, 'gc').mockImplementation(() => {});
  const used = spyOn(process.memoryUsage, 'rss');
  const known = spyOn(process, 'constrainedMemory').mockReturnValue(1024 * mib);
  try {
    guardHeap(1024 * mib);
    expect(timers).not.toHaveBeenCalled();
    guardHeap(256 * mib);
    const check = timers.mock.lastCall?.[0] as () => void;
    const collected = [129, 140, 150, 157].map((now) => {
      const before = collections.mock.calls.length;
      used.mockReturnValue(now * mib);
      check();
      return collections.mock.calls.length - before;
    });
    expect(collected).toEqual([1, 0, 1, 0]);
  } finally {
    for (const spy of [timers, collections, used, known]) spy.mockRestore();
  }
});
