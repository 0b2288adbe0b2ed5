/** Collections as a user declares them: every field type, unique values, references of each kind. */
import { collectionsOf, collections as contract } from '../../../src/collections/registry.ts';
import { readDeclarations } from '../../../src/declarations/check.ts';
import { Mistakes } from '../../../src/declarations/mistakes.ts';
import type { Collection } from '../../../src/domain/record/collection.ts';

/** Compiles declarations as they are in a file. */
export function declared(collections: unknown): readonly Collection[] {
  const mistakes = new Mistakes();
  const others = Object.fromEntries(contract.map(({ name, declaration }) => [name, declaration]));
  const declarations = readDeclarations(collections, 'collections', others, mistakes);
  if (mistakes.lines.length > 0) throw new Error(mistakes.lines.join('\n'));
  return collectionsOf(declarations, []);
}

export const libraryFile = {
  publishers: { singular: 'publisher', fields: { name: { type: 'text', max: 100, unique: true } } },
  authors: {
    singular: 'author',
    fields: {
      name: { type: 'text', max: 200 },
      born: { type: 'date', optional: true },
      publisher: { type: 'reference', to: 'publishers', on_delete: 'clear', optional: true },
    },
  },
  books: {
    singular: 'book',
    fields: {
      title: 'text',
      isbn: { type: 'text', pattern: '^[0-9]{13}$', max: 13, unique: true },
      pages: { type: 'integer', min: 1, optional: true },
      weight: { type: 'number', default: 0.5 },
      price: { type: 'decimal', scale: 2, min: '0' },
      state: { type: 'choice', of: ['draft', 'published'], default: 'draft' },
      in_stock: { type: 'boolean', default: true },
      published_on: { type: 'date', optional: true },
      seen_at: { type: 'timestamp', optional: true },
      tags: { type: 'list', of: 'text', max: 20, default: [] },
      ratings: { type: 'list', of: 'integer', optional: true },
      meta: { type: 'json', optional: true },
      author: { type: 'reference', to: 'authors', on_delete: 'restrict' },
      follows: { type: 'reference', to: 'books', on_delete: 'cascade', optional: true },
    },
    indexes: ['author', ['state', 'published_on'], ['state', 'price']],
  },
  reviews: {
    singular: 'review',
    fields: {
      text: 'text',
      book: { type: 'reference', to: 'books', on_delete: 'cascade' },
    },
  },
};

export const library = declared(libraryFile);
