import { expect, test } from 'bun:test';
import { momentText, timeIn, timeText } from './moment-text.ts';

test.each([
  [0, 'now'],
  [-59, '59 seconds ago'],
  [-60, '1 minute ago'],
  [-3 * 3600 - 59, '3 hours ago'],
  [-86_400, 'yesterday'],
  [86_400 * 2, 'in 2 days'],
  [-86_400 * 40, '2026-10-07'],
])('%p seconds away', (seconds, text) => {
  const now = Date.parse('2026-11-16T12:00:00.000Z');
  expect(momentText(new Date(now + seconds * 1000).toISOString(), now)).toBe(text);
});

test('times close by are said as the runtime says them', () => {
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, ms, most] of [
    ['second', 1000, 59],
    ['minute', 60_000, 59],
    ['hour', 3_600_000, 23],
    ['day', 86_400_000, 29],
  ] as const)
    for (let count = -most; count <= most; count++)
      if (count !== 0 || unit === 'second')
        expect(momentText(new Date(count * ms).toISOString(), 0)).toBe(words.format(count, unit));
});

test('a time in the form of the console comes back as it was', () => {
  for (const [at, text] of [
    ['2026-11-15T08:00:00.000Z', '2026-11-15 08:00:00'],
    ['2026-11-15T08:00:00.120Z', '2026-11-15 08:00:00.120'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01 00:00:00'],
  ] as const) {
    expect(timeText(at)).toBe(text);
    expect(timeIn(text)).toBe(at);
  }
});

test('a time is typed in several forms', () => {
  for (const text of ['2026-11-15 08:00', '2026-11-15T08:00:00Z', '2026-11-15 10:00 +02:00', ' 2026-11-15 08:00 UTC '])
    expect(timeIn(text)).toBe('2026-11-15T08:00:00.000Z');
  expect(timeIn('2026-11-15')).toBe('2026-11-15T00:00:00.000Z');
  for (const text of ['', '2026-11-31 08:00', '8:00', '15.11.2026', '2026-11-15 24:00'])
    expect(timeIn(text)).toBeUndefined();
});
