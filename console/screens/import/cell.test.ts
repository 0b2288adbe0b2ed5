import { expect, test } from 'bun:test';
import { convertedCell, jsonOfCell } from './cell.ts';

test('what a spreadsheet has written becomes the value that it stands for', () => {
  const list = { type: 'list', of: 'text' };
  expect(convertedCell('1.234,50', { type: 'decimal' })).toBe('1234.50');
  expect(convertedCell('9.007.199.254.740.993', { type: 'integer' })).toBe('9007199254740993');
  expect(convertedCell('15.11.2026', { type: 'date' })).toBe('2026-11-15');
  expect(convertedCell('a; "b"', list)).toBe('["a","\\"b\\""]');
  expect(convertedCell('alone', list)).toBe('["alone"]');
  expect(convertedCell('1,5; 2', { type: 'list', of: 'number' })).toBe('[1.5,2]');
});

test('what is right already, and texts, stay', () => {
  expect(convertedCell('12.30', { type: 'decimal' })).toBe('12.30');
  expect(convertedCell('["a;b"]', { type: 'list', of: 'text' })).toBe('["a;b"]');
  expect(convertedCell('a; b', { type: 'text' })).toBe('a; b');
  expect(jsonOfCell(convertedCell('many', { type: 'integer' }), { type: 'integer' })).toBe('"many"');
});
