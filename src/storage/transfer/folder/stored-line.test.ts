import { expect, test } from 'bun:test';
import { items } from '../../../collections/items.ts';
import { storedIn } from './stored-line.ts';

const at = '2026-01-02T03:04:05.678Z';
const whole = { id: 2, external_id: 7, name: 'n', price: 1.5, version: 3, created_at: at, updated_at: at };

test('a line is a record as it is stored', () => {
  expect(storedIn(items, JSON.stringify(whole))).toEqual({
    recordId: 2,
    version: 3,
    createdAt: at,
    updatedAt: at,
    row: { id: 7n, name: 'n', price: 1.5 },
  });
});

const numbers = 'id and version must be whole numbers from 1 to 2251799813685248';
const times = 'created_at and updated_at must be times';
test.each([
  ['[]', 'the record must be a JSON object'],
  [JSON.stringify({ ...whole, name: 7, price: undefined }), 'name must be a string; price is required'],
  [JSON.stringify({ ...whole, id: 0 }), numbers],
  [JSON.stringify({ ...whole, version: '1' }), numbers],
  [JSON.stringify({ ...whole, created_at: 'yesterday' }), times],
  [JSON.stringify({ ...whole, updated_at: 7 }), times],
  ['{', expect.stringContaining('JSON')],
])('the problem of %s is %p', (line, problem) => {
  expect(storedIn(items, line)).toEqual(problem);
});
