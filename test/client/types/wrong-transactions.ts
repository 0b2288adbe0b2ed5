/** Transactions that must not compile: every line after a `@ts-expect-error` has to be an error. */
import { createClient } from 'shelf-client';
import type { Shelf as Halls } from '../halls.d.ts';
import type { Shelf } from '../shelf.d.ts';

const shelf = createClient<Shelf>({ url: 'http://127.0.0.1:8000' });
const draft = { title: 'Dune', isbn: '9780441013593', price: '9.99', author: 7 };

export async function wrong(): Promise<void> {
  await shelf.transaction((t) => {
    const author = t.authors.create({ name: 'Borges' });
    const updated = t.authors.update(7, { name: 'x' });
    // @ts-expect-error there is no such collection
    t.boks.create(draft);
    // @ts-expect-error a title is required
    t.books.create({ isbn: '9780441013593', price: '9.99', author: 7 });
    // @ts-expect-error there is no such field
    t.books.create({ ...draft, colour: 'red' });
    // @ts-expect-error a decimal is text
    t.books.create({ ...draft, price: 9.99 });
    // @ts-expect-error an author is no book
    t.books.create({ ...draft, follows: author });
    // @ts-expect-error a title is no reference
    t.books.create({ ...draft, title: author });
    // @ts-expect-error only a created record has an id for later operations
    t.books.create({ ...draft, author: updated });
    // @ts-expect-error the id is known after the commit
    author.id;
    // @ts-expect-error there is no such field
    t.books.update(7, { colour: 'red' });
    // @ts-expect-error an id is a number
    t.books.update('7', {});
    // @ts-expect-error an author is no book
    t.books.update(author, {});
    // @ts-expect-error a record needs its version
    t.books.update({ id: 7 }, {});
    // @ts-expect-error only created records can be changed again
    t.authors.update(updated, {});
    // @ts-expect-error a version is a number
    t.books.update(7, {}, { version: '1' });
    // @ts-expect-error there is no such field
    t.books.update(7, {}, { where: { titel: 'x' } });
    // @ts-expect-error a count is of all records that match
    t.books.update(7, {}, { count: 1 });
    // @ts-expect-error a replacement is a whole record
    t.books.replace(7, { title: 'x' });
    // @ts-expect-error a text has no sum
    t.books.add(7, { title: 'x' });
    // @ts-expect-error a reference has no sum
    t.books.add(7, { author: 1 });
    // @ts-expect-error an integer is a bigint
    t.books.add(7, { pages: 1 });
    // @ts-expect-error a decimal is text
    t.books.add(7, { price: 1 });
    // @ts-expect-error null is no amount
    t.books.add(7, { pages: null });
    // @ts-expect-error there are no numbers
    t.authors.add(7, { name: 1 });
    // @ts-expect-error the server counts versions
    t.books.addWhere({}, { version: 1 });
    // @ts-expect-error a deletion has no patch
    t.books.delete(7, { title: 'x' });
    // @ts-expect-error a title is not unique
    t.books.upsert({ title: 'Dune' }, draft);
    // @ts-expect-error it is in the key
    t.books.upsert({ isbn: '9780441013593' }, { isbn: '9780441013593', title: 'Dune', price: '9.99', author: 7 });
    // @ts-expect-error a title is required
    t.books.upsert({ isbn: '9780441013593' }, { price: '9.99', author: 7 });
    // @ts-expect-error nothing is unique
    t.authors.upsert({ name: 'Borges' }, {});
    // @ts-expect-error a number of records needs a count
    t.books.check({ state: 'draft' });
    // @ts-expect-error there is no such operator
    t.books.check({ state: 'draft' }, { count: { like: 5 } });
    // @ts-expect-error a count is a number
    t.books.check({ state: 'draft' }, { count: { lt: 5n } });
    // @ts-expect-error a record that does not exist has no version
    t.books.check(7, { exists: false, version: 1 });
    // @ts-expect-error an integer is a bigint
    t.books.check({ pages: 5 }, { count: 1 });
    // @ts-expect-error a decimal is no bigint
    t.books.check({ price: 5n }, { count: 1 });
    // @ts-expect-error there is no such field
    t.books.check({ author: 7n, colour: 'red' }, { count: 1 });
    // @ts-expect-error a title is no bigint
    t.books.create({ ...draft, title: 7n });
    // @ts-expect-error conditions come first
    t.books.updateWhere(7, { state: 'draft' });
    // @ts-expect-error a version is of one record
    t.books.deleteWhere({ state: 'draft' }, { version: 1 });
    // @ts-expect-error there are no reads
    t.books.list();
  });
  await createClient<Halls>({ url: '' }).transaction((t) => {
    // @ts-expect-error the rule has two fields
    t.seats.upsert({ hall: 7 }, { place: 1n });
    // @ts-expect-error no rule has these fields together
    t.seats.upsert({ hall: 7, place: 1n, holder: 'Ada' }, {});
    // @ts-expect-error null is not unique
    t.seats.upsert({ holder: null }, { hall: 7, place: 1n });
    // @ts-expect-error it is in the key
    t.seats.upsert({ hall: 7, place: 1n }, { place: 1n });
    // @ts-expect-error a hall is required
    t.seats.upsert({ holder: 'Ada' }, { place: 1n });
  });
  // @ts-expect-error the function is not async
  await shelf.transaction(async (t) => t.books.delete(7));
  // @ts-expect-error a result has no fields
  (await shelf.transaction((t) => t.books.update(7, {}))).title;
  // @ts-expect-error an author has no title
  (await shelf.transaction((t) => t.authors.update(7, {}), { return: 'records' })).title;
  // @ts-expect-error there is no such form
  await shelf.transaction((t) => t.books.delete(7), { return: 'ids' });
  // @ts-expect-error nothing may have been changed
  (await shelf.transaction((t) => t.changes)).lastChange;
}
