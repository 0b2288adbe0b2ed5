import { expect, test } from 'bun:test';
import { requireVersion } from './require-version.ts';

test('only tables of this version are read', () => {
  requireVersion(3, 3, 'here');
  expect(() => requireVersion(4, 3, 'here')).toThrow('here was written by a newer Shelf (schema 4, this one knows 3)');
  expect(() => requireVersion(2, 3, 'here')).toThrow('here is of an older version of Shelf: run shelf migrate on it');
});
