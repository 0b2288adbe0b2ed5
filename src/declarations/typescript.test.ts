/** The text of the types; that they compile, and fit the client, is tested with the command and the client. */
import { expect, test } from 'bun:test';
import { collection } from '../domain/record/collection.ts';
import { typescriptOf } from './typescript.ts';

const books = collection('books', {
  singular: 'book',
  title: 'Books',
  description: 'In the house.\nAnd lent */ ones.',
  fields: {
    title: { type: 'text', title: 'Title', max: 80, unique: true },
    before: { type: 'reference', to: 'books', optional: true },
    state: { type: 'choice', of: ['new', 'old'], default: 'new' },
    note: { type: 'json' },
  },
});

test('the types have what records, drafts and filters may have, and what the declaration says about it', () => {
  expect(
    typescriptOf([books]),
  ).toBe(`// Made by \`shelf types\`. Do not edit it: change the collections, and run the command again.
import type { Comparison, Filter, Json } from 'shelf-client';

/** Every collection: \`createClient<Shelf>({ url })\`. */
export interface Shelf {
  /**
   * Books
   * In the house.
   * And lent * / ones.
   */
  books: {
    singular: 'book';
    record: Book;
    draft: BookDraft;
    where: BookWhere;
    sort: 'id' | 'title' | 'before' | 'state' | 'version' | 'created_at' | 'updated_at';
    numeric: never;
    days: never;
    times: 'created_at' | 'updated_at';
    unique: ['title'];
    references: { before: 'books' };
  };
}

/** A record of books. */
export interface Book {
  /** Assigned by the server, unique, never reused. */
  id: number;
  /**
   * Title
   * text, max 80, unique
   */
  title: string;
  /** reference, to "books" */
  before: number | null;
  /** choice, default "new" */
  state: "new" | "old";
  /** json */
  note: Json;
  /** 1 at creation; each change increases it. */
  version: number;
  /** UTC with milliseconds. */
  created_at: string;
  /** UTC with milliseconds. */
  updated_at: string;
}

/** A record of books to be created. */
export interface BookDraft {
  /**
   * Title
   * text, max 80, unique
   */
  title: string;
  /** reference, to "books" */
  before?: number | null;
  /** choice, default "new" */
  state?: "new" | "old";
  /** json */
  note: Json;
}

/** Filters of books. */
export interface BookWhere {
  id?: Filter<number, Comparison, 'version'>;
  title?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci'>;
  before?: Filter<number, 'eq' | 'ne' | 'in' | 'is'>;
  state?: Filter<"new" | "old", 'eq' | 'ne' | 'in'>;
  version?: Filter<number, Comparison, 'id'>;
  created_at?: Filter<string, Comparison, 'updated_at'>;
  updated_at?: Filter<string, Comparison, 'created_at'>;
}
`);
});

test('the types name the fields that have sums, days and times, and the unique ones', () => {
  const copies = collection('copies', {
    singular: 'copy',
    contract: true,
    fields: {
      shelf_mark: { type: 'text', max: 20, unique: true },
      barcode: { type: 'integer', unique: true },
      weight: { type: 'number' },
      price: { type: 'decimal', scale: 2 },
      places: { type: 'list', of: 'integer' },
      bought_on: { type: 'date', optional: true },
      lent_at: { type: 'timestamp' },
    },
    unique: [
      ['barcode', 'price'],
      { fields: ['price', 'barcode'], where: { weight: 1 } },
      { fields: ['price'], where: { weight: 1 } },
    ],
  });
  const text = typescriptOf([copies]);
  expect(text).toContain("    numeric: 'barcode' | 'weight' | 'price';\n");
  expect(text).toContain("    days: 'bought_on';\n    times: 'lent_at' | 'created_at' | 'updated_at';\n");
  expect(text).toContain(
    "    unique: ['shelf_mark'] | ['barcode'] | ['barcode', 'price'] | ['price', 'barcode'] | ['price'];\n",
  );
});

test('searched fields have words, each and all together', () => {
  const notes = collection('notes', {
    singular: 'note',
    search: ['title'],
    fields: { title: { type: 'text' }, text: { type: 'text', search: true }, tag: { type: 'text' } },
  });
  const types = typescriptOf([notes]);
  expect(types).toContain(
    "  title?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci' | 'words', 'text' | 'tag'>;",
  );
  expect(types).toContain(
    "  tag?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci', 'title' | 'text'>;",
  );
  expect(types).toContain('  /** In any of title and text. */\n  words?: string;\n');
});
