/** One collection of ten fields as Shelf and as PocketBase declare it, and the records stored before the load. */

export const authorCount = 200;
export const bookCount = 10_000;
export const states = ['draft', 'proof', 'published', 'withdrawn'];
const isbn = '^[0-9]{13}$';

export const shelfFile = {
  collections: {
    authors: { singular: 'author', fields: { name: { type: 'text', max: 200 } } },
    books: {
      singular: 'book',
      fields: {
        title: { type: 'text', min: 1, max: 200 },
        isbn: { type: 'text', pattern: isbn, max: 13, unique: true },
        price: { type: 'decimal', scale: 2, min: '0' },
        pages: { type: 'integer', min: 1 },
        state: { type: 'choice', of: states },
        in_stock: 'boolean',
        published_on: { type: 'date', optional: true },
        tags: { type: 'list', of: 'text', max: 20 },
        meta: { type: 'json', optional: true },
        author: { type: 'reference', to: 'authors', on_delete: 'restrict' },
      },
      indexes: ['author', ['state', 'price']],
    },
  },
};

/** Every record of Shelf has both times. */
const times = [
  { name: 'created', type: 'autodate', onCreate: true },
  { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
];
const open = { type: 'base', createRule: '', listRule: '', viewRule: '' };

export const pocketbaseAuthors = {
  ...open,
  name: 'authors',
  fields: [{ name: 'name', type: 'text', required: true, max: 200 }, ...times],
};

/** PocketBase has no decimals, dates without a time, or lists of free text: the nearest types of its own stand in. */
export const pocketbaseBooks = (authors: string) => ({
  ...open,
  name: 'books',
  fields: [
    { name: 'title', type: 'text', required: true, max: 200 },
    { name: 'isbn', type: 'text', required: true, max: 13, pattern: isbn },
    { name: 'price', type: 'number', required: true, min: 0 },
    { name: 'pages', type: 'number', required: true, min: 1, onlyInt: true },
    { name: 'state', type: 'select', required: true, values: states, maxSelect: 1 },
    { name: 'in_stock', type: 'bool' },
    { name: 'published_on', type: 'date' },
    { name: 'tags', type: 'json' },
    { name: 'meta', type: 'json' },
    { name: 'author', type: 'relation', required: true, collectionId: authors, maxSelect: 1, cascadeDelete: false },
    ...times,
  ],
  indexes: [
    'CREATE UNIQUE INDEX idx_books_isbn ON books (isbn)',
    'CREATE INDEX idx_books_author ON books (author)',
    'CREATE INDEX idx_books_state_price ON books (state, price)',
  ],
});

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** The book with the number `n`, from 1. No two have the same price. */
export function book(n: number) {
  return {
    title: `The long way home, volume ${n}`,
    isbn: `978${String(n).padStart(10, '0')}`,
    price: (5 + ((n * 7919) % 10_000) / 100).toFixed(2),
    pages: 80 + (n % 900),
    state: states[n % states.length] ?? '',
    in_stock: n % 3 > 0,
    published_on: `20${twoDigits(n % 25)}-${twoDigits(1 + (n % 12))}-${twoDigits(1 + (n % 28))}`,
    tags: ['fiction', 'travel'],
    meta: { cover: 'hard', weight_g: 200 + (n % 700) },
    author: 1 + (n % authorCount),
  };
}

export const books = Array.from({ length: bookCount }, (_, n) => book(n + 1));
