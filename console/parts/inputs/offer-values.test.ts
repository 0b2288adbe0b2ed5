import { expect, test } from 'bun:test';
import { elementsIn, offersFor } from './offer-values.ts';

test('decimal commas and separators of thousands', () => {
  expect(offersFor('12,30', 'decimal')).toEqual(['12.30']);
  expect(offersFor('-1.234,50', 'number')).toEqual(['-1234.50']);
  expect(offersFor('1 234,5', 'number')).toEqual(['1234.5']);
  expect(offersFor('1,234', 'number')).toEqual(['1.234', '1234']);
  expect(offersFor('1,234,567.5', 'decimal')).toEqual(['1234567.5']);
  expect(offersFor('9.007.199.254.740.993', 'integer')).toEqual(['9007199254740993']);
  expect(offersFor('12,30', 'integer')).toEqual([]);
});

test('a number that is one already, and what is none, are left alone', () => {
  for (const text of ['12.30', '-0', '1e-7', '9007199254740993', '', 'many', '1,2,3', '12,', ',5'])
    expect(offersFor(text, 'number')).toEqual([]);
  expect(offersFor('12,30', 'text')).toEqual([]);
});

test('a day with points', () => {
  expect(offersFor('5.11.2026', 'date')).toEqual(['2026-11-05']);
  expect(offersFor('2026-11-05', 'date')).toEqual([]);
});

test('a time with points', () => {
  for (const text of ['5.11.2026 8:30', '05.11.2026, 08:30', '5. 11. 2026  08:30:00'])
    expect(offersFor(text, 'timestamp')).toEqual(['2026-11-05 08:30:00']);
  expect(offersFor('5.11.2026', 'timestamp')).toEqual(['2026-11-05 00:00:00']);
  expect(offersFor('31.2.2026 08:30', 'timestamp')).toEqual([]);
  expect(offersFor('5.11.2026 08:30', 'date')).toEqual([]);
});

test('semicolons', () => {
  expect(elementsIn('a; b;c;')).toEqual(['a', 'b', 'c']);
  expect(elementsIn('a, b')).toBeUndefined();
});
