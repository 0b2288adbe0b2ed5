import { expect, test } from 'bun:test';
import { eventLoopYield } from './event-loop-yield.ts';

test('timers run between batches of a loop that never waits, and not between all of them', async () => {
  const yieldToEvents = eventLoopYield();
  let ran = 0;
  const timer = setInterval(() => ran++, 1);
  await yieldToEvents();
  expect(ran).toBe(0);
  const until = performance.now() + 80;
  while (performance.now() < until) await yieldToEvents();
  clearInterval(timer);
  expect(ran).toBeGreaterThan(0);
  expect(ran).toBeLessThan(10);
});
