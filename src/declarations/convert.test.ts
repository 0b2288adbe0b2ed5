import { expect, test } from 'bun:test';
import type { FieldDeclaration } from '../domain/record/declaration.ts';
import { compileField } from '../domain/types/all-types.ts';
import type { SetValue } from '../domain/types/type.ts';
import { converted } from './convert.ts';

const decimal = (scale: number): FieldDeclaration => ({ type: 'decimal', scale });
const listOf = (of: string): FieldDeclaration => ({ type: 'list', of });
const plain = (type: string): FieldDeclaration => ({ type });
const inexact = 'cannot be kept exactly';

type Case = [from: FieldDeclaration, value: SetValue, to: FieldDeclaration, result: SetValue];

test.each<Case>([
  [plain('integer'), 9007199254740994n, plain('number'), 9007199254740994],
  [plain('integer'), 5n, decimal(2), '5.00'],
  [plain('integer'), 5n, plain('text'), '5'],
  [plain('number'), 5, plain('integer'), 5n],
  [plain('number'), -0, plain('text'), '-0'],
  [decimal(3), '1.230', decimal(2), '1.23'],
  [decimal(2), '1.50', decimal(4), '1.5000'],
  [decimal(2), '1.50', plain('number'), 1.5],
  [decimal(2), '7.00', plain('integer'), 7n],
  [plain('text'), '-7', plain('integer'), -7n],
  [plain('text'), '174', decimal(2), '174.00'],
  [plain('text'), '174.0', decimal(2), '174.00'],
  [plain('text'), '-174.5', decimal(2), '-174.50'],
  [plain('text'), '100', decimal(0), '100'],
  [plain('json'), '"174"', decimal(2), '174.00'],
  [listOf('text'), '["174","0.5"]', { type: 'list', of: { type: 'decimal', scale: 2 } }, '["174.00","0.50"]'],
  [plain('text'), 'x', plain('json'), '"x"'],
  [plain('text'), 'a', { type: 'choice', of: ['a', 'b'] }, 'a'],
  [plain('json'), '"x"', plain('text'), 'x'],
  [plain('json'), '[1,2]', listOf('integer'), '[1,2]'],
  [plain('boolean'), true, plain('text'), 'true'],
  [listOf('integer'), '[1,2]', plain('json'), '[1,2]'],
  [plain('date'), '2026-01-01', plain('text'), '2026-01-01'],
  [plain('integer'), 7n, { type: 'reference', to: 'books' }, 7n],
])('%p: %p as %p is %p', (from, value, to, result) => {
  expect(converted(compileField(from), compileField(to), value)).toBe(result);
});

test.each<Case>([
  [plain('integer'), 9007199254740993n, plain('number'), inexact],
  [plain('integer'), 5n, { type: 'integer', max: 4 }, 'must be at most 4'],
  [plain('number'), 0.5, plain('integer'), 'must be an integer'],
  [decimal(3), '1.234', decimal(2), 'must be a decimal number with at most 2 places'],
  [decimal(2), '92233720368547758.07', plain('number'), inexact],
  [plain('text'), '007', plain('integer'), inexact],
  [plain('text'), '0174', decimal(2), inexact],
  [plain('text'), '-0', decimal(2), inexact],
  [plain('text'), '1.50', plain('number'), inexact],
  [plain('text'), 'x', plain('integer'), 'must be an integer'],
  [plain('text'), 'c', { type: 'choice', of: ['a', 'b'] }, 'must be one of a, b'],
  [plain('json'), '[1]', plain('text'), inexact],
  [plain('boolean'), true, plain('integer'), 'must be an integer'],
  [plain('number'), -0, plain('integer'), inexact],
  [plain('text'), 'constructor', plain('boolean'), 'must be true or false'],
  [listOf('integer'), '[9007199254740993]', listOf('number'), inexact],
  [listOf('text'), '["2026-11-15T10:00:00.1239Z"]', listOf('timestamp'), inexact],
  [plain('text'), 'novel', listOf('text'), 'must be a list'],
  [listOf('text'), '["1","x"]', listOf('integer'), 'element 1 must be an integer'],
  [plain('date'), '2026-01-01', plain('timestamp'), inexact],
  [plain('integer'), -7n, { type: 'reference', to: 'books' }, 'must be an id'],
])('%p: %p as %p is refused: %p', (from, value, to, why) => {
  const made = converted(compileField(from), compileField(to), value);
  expect(made).toEqual({ refused: expect.stringContaining(String(why)) });
});
