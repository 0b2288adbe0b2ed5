/** A third collection, with a field of each kind. */
import { collection } from '../src/domain/collection.ts';
import { integer, number, text } from '../src/domain/field.ts';

const declaration = {
  name: 'books',
  singular: 'book',
  fields: { title: text(), pages: integer(), weight: number() },
  first: { id: 1n, title: 'Ficciones', pages: 174n, weight: 0.2 },
  idParameter: 'book_id',
} as const;

export const books = collection({ ...declaration, operations: ['fetch', 'delete'] });

/** Without the contract's single records, and with an index. */
export const indexedBooks = collection({ ...declaration, operations: [], indexes: ['weight'] });
