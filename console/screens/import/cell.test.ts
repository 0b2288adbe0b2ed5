import { expect, test } from 'bun:test';
import { convertedCell, jsonOfCell } from './cell.ts';

test('what a spreadsheet has written becomes the value that it stands for', () => {
  const list = { type: 'list', of: 'text' };
  expect(convertedCell('1.234,50', { type: 'decimal' })).toBe('1234.50');
  expect(convertedCell('9.007.199.254.740.993', { type: 'integer' })).toBe('9007199254740993');
  expect(convertedCell('15.11.2026', { type: 'date' })).toBe('2026-11-15');
  for (const text of ['15.11.2026 8:00', '2026-11-15 08:00:00', '2026-11-15 10:00 +02:00'])
    expect(convertedCell(text, { type: 'timestamp' })).toBe('2026-11-15T08:00:00.000Z');
  expect(convertedCell('a; "b"', list)).toBe('["a","\\"b\\""]');
  expect(convertedCell('alone', list)).toBe('["alone"]');
  expect(convertedCell('1,5; 2', { type: 'list', of: 'number' })).toBe('[1.5,2]');
});

test('what is right already, and texts, stay', () => {
  expect(convertedCell('12.30', { type: 'decimal' })).toBe('12.30');
  expect(convertedCell('["a;b"]', { type: 'list', of: 'text' })).toBe('["a;b"]');
  for (const text of ['2026-11-15T10:00:00+02:00', 'soon'])
    expect(convertedCell(text, { type: 'timestamp' })).toBe(text);
  expect(convertedCell('a; b', { type: 'text' })).toBe('a; b');
  expect(jsonOfCell(convertedCell('many', { type: 'integer' }), { type: 'integer' })).toBe('"many"');
});
