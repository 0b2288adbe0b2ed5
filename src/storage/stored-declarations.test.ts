import { expect, test } from 'bun:test';
import { planFor, storedAfter } from '../declarations/plan.ts';
import { decodeDeclarations, encodeDeclarations } from './stored-declarations.ts';

test.each([1e16, -1e21, 1e300, 2 ** 53, 0.1, -0])('a database stores %d as a bound and as a default', (value) => {
  const field = { type: 'number', min: value, max: value, default: value };
  const now = {
    singular: 'thing',
    fields: { weight: field, weights: { type: 'list', of: { type: 'number', max: value } } },
  };
  const { things } = decodeDeclarations(encodeDeclarations({ things: { now, earlier: [] } }));
  const { min, max, default: preset } = things?.now.fields.weight ?? {};
  expect([min, max, preset].map(Number)).toEqual([value, value, value]);
});

test.each([
  ['a time without seconds', 'notes', { at: { type: 'timestamp', default: '2026-01-01T10:00Z' } }],
  ['a long default', 'notes', { text: { type: 'text', default: 'x'.repeat(5000) } }],
  ['a name that is reserved now', 'me', { name: { type: 'text' } }],
  ['a default of a unique field', 'notes', { name: { type: 'text', max: 10, unique: true, default: 'x' } }],
  ['a list of a type of a newer Shelf', 'notes', { ids: { type: 'list', of: 'uuid' } }],
])('%s can be stored', (_, name, fields) => {
  const now = { singular: 'one', fields };
  const stored = { [name]: { now, earlier: [now] } };
  expect(decodeDeclarations(encodeDeclarations(stored))).toEqual(stored);
  const withFirst = { [name]: { now: { ...now, first: { at: '2026-01-01T10:00Z', x: 1 } }, earlier: [] } };
  expect(decodeDeclarations(encodeDeclarations(withFirst))).toBeDefined();
});

test('a renamed collection is followed by the former declarations of others', () => {
  const author = { singular: 'author', fields: { name: { type: 'text' } } };
  const book = { singular: 'book', fields: { author: { type: 'reference', to: 'authors' } } };
  const before = { authors: { now: author, earlier: [] }, books: { now: book, earlier: [book] } };
  const declared = {
    writers: { ...author, was: 'authors' },
    books: {
      singular: 'book',
      fields: { author: { type: 'reference', to: 'writers' }, year: { type: 'integer', optional: true } },
    },
  };
  const after = storedAfter(before, planFor(before, declared));
  expect(after.books?.earlier.map(({ fields }) => fields.author?.to)).toEqual(['writers', 'writers']);
  expect(decodeDeclarations(encodeDeclarations(after))).toEqual(after);
});
