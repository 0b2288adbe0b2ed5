import { expect, test } from 'bun:test';
import type { FieldDeclaration } from '../../api/declarations.ts';
import { entryOf, readEntry } from './entry.ts';

const integers: FieldDeclaration = { type: 'list', of: 'integer' };

test.each<[FieldDeclaration, string]>([
  [{ type: 'integer' }, '9007199254740993'],
  [{ type: 'integer' }, '-9223372036854775808'],
  [{ type: 'number' }, '-0'],
  [{ type: 'number' }, '0.1'],
  [{ type: 'number' }, '1e-7'],
  [{ type: 'decimal' }, '"92233720368547758.07"'],
  [{ type: 'boolean' }, 'false'],
  [{ type: 'text' }, '"a \\"b\\" \\\\ \\n é"'],
  [{ type: 'text' }, '""'],
  [{ type: 'reference' }, '7'],
  [{ type: 'choice' }, '"out of print"'],
  [{ type: 'date' }, '"2024-02-29"'],
  [{ type: 'timestamp' }, '"2026-11-15T08:00:00.123Z"'],
  [integers, '[9007199254740993,-1]'],
  [{ type: 'list', of: { type: 'text' } }, '["a, b","",null]'.replace(',null', '')],
  [integers, '[]'],
  [{ type: 'json' }, '{"b":1.50,"a":12345678901234567890,"b":[]}'],
  [{ type: 'json' }, '"text"'],
  [{ type: 'text', optional: true }, 'null'],
])('%j keeps %s', (field, json) => {
  const entry = entryOf(json, field);
  expect(entry).not.toBeUndefined();
  expect(readEntry(entry ?? null, field)).toEqual({ json });
});

test('what cannot be sent is said', () => {
  expect(readEntry('1,5', { type: 'number' })).toEqual({ problem: 'must be a number, such as 12 or -0.5' });
  expect(readEntry('', { type: 'integer' })).toEqual({ problem: 'must be a number, such as 12 or -0.5' });
  expect(readEntry(null, { type: 'text' })).toEqual({ problem: 'needs a value' });
  expect(readEntry(['1', 'x'], integers)).toEqual({ problem: 'element 2 must be a number, such as 12 or -0.5' });
  expect(readEntry('{"a":}', { type: 'json' })).toHaveProperty('problem');
  expect(readEntry(' 12 ', { type: 'integer' })).toEqual({ json: '12' });
});
