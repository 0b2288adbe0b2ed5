/** A third collection, with a field of each kind. */
import { collection } from '../../../src/domain/record/collection.ts';

const declaration = {
  singular: 'book',
  fields: { title: { type: 'text' }, pages: { type: 'integer' }, weight: { type: 'number' } },
  first: { title: 'Ficciones', pages: 174, weight: 0.2 },
} as const;

export const books = collection('books', {
  ...declaration,
  contract: { operations: ['fetch', 'delete'], id: 'book_id' },
});

/** Without the contract's single records, and with an index. */
export const indexedBooks = collection('books', {
  ...declaration,
  contract: { operations: [], id: 'book_id' },
  indexes: ['weight'],
});
