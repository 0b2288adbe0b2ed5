import { expect, test } from 'bun:test';
import { isoClock } from './iso-clock.ts';

test('the text is made once per millisecond, and follows a clock that is set back', () => {
  const times = [1000, 999, 5, 1_767_323_045_678];
  let made = 0;
  const clock = isoClock(() => times[made++] ?? Number.NaN);
  for (const [tick, time] of times.entries())
    for (const part of [0, 0.4, 0.999]) expect(clock(tick + part)).toBe(new Date(time).toISOString());
  expect(made).toBe(times.length);
});
