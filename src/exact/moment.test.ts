/** Days of the calendar, and moments. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { isDay, momentOf } from './moment.ts';

/** Date parses February 30 as March 2. */
function isDayOfDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001-01-01') return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

test('the same days as those of Date, from year 1 to 9999', () => {
  const pad = (number: number, length: number) => String(number).padStart(length, '0');
  for (const year of [0, 1, 4, 100, 400, 1900, 2000, 2023, 2024, 9999])
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++) {
        const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
        expect({ text, is: isDay(text) }).toEqual({ text, is: isDayOfDate(text) });
      }
});

test('no other text', () => {
  const near = fc.stringMatching(/^[0-9+ -]{3,4}[-/][0-9 :]{2}[-/][0-9e ]{2}T?$/);
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (text) => {
      expect(isDay(text)).toBe(isDayOfDate(text));
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['2026-11-15T10:00:00Z', '2026-11-15T10:00:00.000Z'],
  ['2026-11-15t10:00:00.12345+02:00', '2026-11-15T08:00:00.123Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00+01:00', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['2026-02-30T10:00:00Z', undefined],
  ['2026-11-15T24:00:00Z', undefined],
  ['2026-11-15T10:00:60Z', undefined],
  ['2026-11-15T10:00Z', undefined],
  ['2026-11-15 10:00:00Z', undefined],
  ['2026-11-15T10:00:00', undefined],
])('the moment %s is %p', (text, moment) => {
  expect(momentOf(text)).toBe(moment);
});
