import { expect, test } from 'bun:test';
import { isoClock } from './iso-clock.ts';

test('the text is made once per millisecond, and follows a clock that is set back', () => {
  const times = [1000, 999, 5, 1_767_323_045_678];
  let made = 0;
  const clock = isoClock(
    () => times[made++] ?? Number.NaN,
    () => made - 1,
  );
  for (const [tick, time] of times.entries())
    for (const part of [0, 0.4, 0.999]) expect(clock(tick + part)).toBe(new Date(time).toISOString());
  expect(made).toBe(times.length);
});

test('the time is that of the moment, not that of the text', () => {
  const clock = isoClock(
    () => 60_000,
    () => 1000.5,
  );
  expect(clock(1000)).toBe('1970-01-01T00:00:59.999Z');
  expect(clock(400)).toBe('1970-01-01T00:00:59.399Z');
});
