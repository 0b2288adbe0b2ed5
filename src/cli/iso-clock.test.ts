import { expect, test } from 'bun:test';
import { isoClock } from './iso-clock.ts';

test('the text is that of the current millisecond, also when the clock is set back', () => {
  const times = [0, 0, 1, 999, 1000, 5, 5, 1_767_323_045_678];
  let at = 0;
  const clock = isoClock(() => times[at++] ?? Number.NaN);
  for (const time of times) expect(clock()).toBe(new Date(time).toISOString());
});
