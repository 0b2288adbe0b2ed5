import { expect, test } from 'bun:test';
import { at, itemsNamed } from '../../../test/support/data/made-database.ts';
import { items } from '../../collections/items.ts';
import { changeProblem, type LastChange } from './check-change.ts';

const [stored] = itemsNamed('one');
const change: LastChange = {
  recordId: 1,
  version: 1,
  createdAt: at,
  updatedAt: at,
  change: 5,
  type: 'created',
  json: '{"id":1,"name":"one","price":0}',
  before: null,
};
const later = '2026-01-02T03:04:05.679Z';

test.each<[string | undefined, Partial<LastChange>]>([
  [undefined, {}],
  [undefined, { json: '{"price":0.0,"id":1,"name":"one"}' }],
  ['has version 1, and its last change (5) has 2', { version: 2 }],
  ['has other times than its last change (5)', { createdAt: later }],
  ['has other times than its last change (5)', { updatedAt: later }],
  ['has another name than its last change (5)', { json: '{"id":1,"name":"two","price":0}' }],
  ['has another id than its last change (5)', { json: '{"id":9007199254740993,"name":"one","price":0}' }],
  ['is there, though its last change (5) is its deletion', { type: 'deleted' }],
  ['its last change (5) has a state before it, and is no update', { before: '{"version":1}' }],
  ['its last change (5) has no earlier state before it', { type: 'updated', before: '{"version":1}' }],
  // The declaration was another one then.
  [undefined, { json: '{"id":1,"title":"two","price":0}' }],
  [undefined, { json: '{"id":1,"name":2,"price":0}' }],
])('%s', (problem, other) => {
  expect(changeProblem(items, stored, { ...change, ...other })).toBe(problem as string);
});

test('a record that is gone was deleted', () => {
  expect(changeProblem(items, undefined, { ...change, type: 'deleted' })).toBeUndefined();
  expect(changeProblem(items, undefined, change)).toBe('is missing, though its last change (5) is not its deletion');
});
