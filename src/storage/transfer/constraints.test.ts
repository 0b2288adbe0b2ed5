import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { collection } from '../../domain/record/collection.ts';
import type { CollectionDeclaration } from '../../domain/record/declaration.ts';
import { dialect } from '../sqlite/statements/collection-sql.ts';
import { constraintViolations, requireConstraints } from './constraints.ts';
import { askPair } from './sqlite/sqlite-rows.ts';

const declaration = {
  singular: 'book',
  fields: {
    isbn: { type: 'text', max: 13, unique: true },
    follows: { type: 'reference', to: 'books', optional: true },
  },
};

async function violationsIn(rows: string, more: Partial<CollectionDeclaration> = {}) {
  const books = collection('books', { ...declaration, ...more });
  using db = new Database(':memory:');
  db.run('create table books (seq integer primary key, isbn text, follows integer)');
  db.run(`insert into books values ${rows}`);
  const asked = { ask: (query: string) => askPair(db, query), dialect };
  const refused = await requireConstraints([books], asked).catch((error: Error) => error.message);
  return { found: await constraintViolations([books], asked), refused };
}

test('records that keep the rules have no violation', async () => {
  const { found, refused } = await violationsIn("(1, 'a', null), (2, 'b', 1), (3, null, 3), (4, null, null)");
  expect([found, refused]).toEqual([[], undefined]);
});

test('a record that does not meet a check rule is a violation, with null as well', async () => {
  const check = [{ where: { isbn: { starts_with: 'a' } }, message: 'must start with a' }];
  const { found } = await violationsIn("(1, 'a', null), (2, 'b', 1), (3, null, 3)", { check });
  expect(found).toEqual(['books 2 does not meet {"isbn":{"starts_with":"a"}}']);
  expect((await violationsIn("(1, 'a', null), (2, null, 1)", { check })).found).toHaveLength(1);
});

test('equal values and references to nothing are violations, with all digits of their ids', async () => {
  const { found, refused } = await violationsIn("(1, 'a', 9007199254740993), (2, 'b', 1), (3, 'b', 2)");
  const [twice, lost] = [
    'books 2 and 3 have the same isbn, which must be unique',
    'books 1 refers to books 9007199254740993 with follows, which does not exist',
  ];
  expect(refused).toStartWith(`${twice}: nothing was stored.`);
  expect(found).toEqual([twice, lost]);
});
