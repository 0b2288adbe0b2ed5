import { expect, test } from 'bun:test';
import { at } from '../../../test/support/data/made-database.ts';
import { collection } from '../../domain/record/collection.ts';
import { recordProblem } from './check-record.ts';

const notes = collection('notes', {
  singular: 'note',
  fields: { text: { type: 'text', max: 3 }, amount: { type: 'decimal', scale: 2, optional: true } },
});
const of = (row: Readonly<Record<string, string | null>>, version = 1) =>
  recordProblem(notes, { recordId: 1, version, createdAt: at, updatedAt: at, row });

test('a record is checked like one that a client sends', () => {
  expect(of({ text: 'abc', amount: '1.50' })).toBeUndefined();
  expect(of({ text: 'abc', amount: null })).toBeUndefined();
  expect(of({ text: 'abcd', amount: null })).toStartWith('text must have at most 3');
  expect(of({ text: 'abc', amount: null }, 0)).toStartWith('id and version must be whole numbers');
  expect(of({ text: 'abc', amount: '1.5' })).toBe('a value is not written as its type writes it');
});
