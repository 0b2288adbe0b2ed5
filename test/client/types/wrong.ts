/** Uses of the client that must not compile: every line after a `@ts-expect-error` has to be an error. */
import { createClient, ShelfError } from 'shelf-client';
import type { Shelf } from '../shelf.d.ts';

const shelf = createClient<Shelf>({ url: 'http://127.0.0.1:8000' });
const draft = { title: 'Dune', isbn: '9780441013593', price: '9.99', author: 7 };

export async function wrong(error: unknown): Promise<void> {
  // @ts-expect-error there is no such collection
  await shelf.boks.list();
  // @ts-expect-error there is no such field
  await shelf.books.list({ where: { titel: 'Dune' } });
  // @ts-expect-error there is no such operator
  await shelf.books.list({ where: { title: { like: 'Dune' } } });
  // @ts-expect-error a choice has no order
  await shelf.books.list({ where: { state: { gt: 'draft' } } });
  // @ts-expect-error a field that is not optional is never null
  await shelf.books.list({ where: { title: { is: 'null' } } });
  // @ts-expect-error json has no filter
  await shelf.books.list({ where: { meta: 7 } });
  // @ts-expect-error a list has no equality
  await shelf.books.list({ where: { tags: 'new' } });
  // @ts-expect-error an integer is a bigint
  await shelf.books.list({ where: { pages: 100 } });
  // @ts-expect-error a decimal is text
  await shelf.books.list({ where: { price: { gte: 10 } } });
  // @ts-expect-error a reference is a number
  await shelf.books.list({ where: { author: 7n } });
  // @ts-expect-error there is no such choice
  await shelf.books.list({ where: { state: 'gone' } });
  // @ts-expect-error any takes a list
  await shelf.books.list({ where: { any: { title: 'Dune' } } });
  // @ts-expect-error not takes conditions
  await shelf.books.list({ where: { not: [{ title: 'Dune' }] } });
  // @ts-expect-error there is no such field
  await shelf.books.list({ where: { any: [{ titel: 'Dune' }] } });
  // @ts-expect-error a decimal is text
  await shelf.books.list({ where: { not: { all: [{ price: 5 }] } } });
  // @ts-expect-error a decimal is another type than a text
  await shelf.books.list({ where: { title: { eq: { field: 'price' } } } });
  // @ts-expect-error a part of a text is no field
  await shelf.books.list({ where: { title: { contains: { field: 'isbn' } } } });
  // @ts-expect-error there is no other decimal
  await shelf.books.list({ where: { price: { gt: { field: 'price' } } } });
  // @ts-expect-error a field is compared by an operator
  await shelf.books.list({ where: { title: { field: 'isbn' } } });
  // @ts-expect-error only text has it
  await shelf.books.list({ where: { price: { eq_ci: '5' } } });
  // @ts-expect-error authors have no such field
  await shelf.books.list({ where: { 'author.title': 'Dune' } });
  // @ts-expect-error a title refers to nothing
  await shelf.books.list({ where: { 'title.name': 'Dune' } });
  // @ts-expect-error a name is text
  await shelf.books.list({ where: { 'author.name': 7 } });
  // @ts-expect-error the operators are those of the field at the end
  await shelf.books.list({ where: { 'follows.state': { contains: 'd' } } });
  // @ts-expect-error at most two references
  await shelf.books.list({ where: { 'follows.follows.author.name': 'x' } });
  // @ts-expect-error the field is one of the record at the end
  await shelf.books.list({ where: { 'author.name': { eq: { field: 'title' } } } });
  // @ts-expect-error publishers refer to nothing
  await shelf.publishers.list({ where: { 'name.id': 7 } });
  // @ts-expect-error in takes a list
  await shelf.books.list({ where: { author: { in: 7 } } });
  // @ts-expect-error there is no such field to sort by
  await shelf.books.list({ sort: ['colour'] });
  // @ts-expect-error a list has no order
  await shelf.books.list({ sort: ['-tags'] });
  // @ts-expect-error there is no such field
  await shelf.books.list({ fields: ['colour'] });
  // @ts-expect-error it is no reference
  await shelf.books.list({ expand: ['title'] });
  // @ts-expect-error publishers refer to nothing
  await shelf.publishers.list({ expand: ['name'] });
  // @ts-expect-error there is no total without a count
  (await shelf.books.list()).total satisfies number;
  // @ts-expect-error the field was not asked for
  (await shelf.books.list({ fields: ['id'] })).data[0]?.title;
  // @ts-expect-error nothing was expanded
  (await shelf.books.list()).data[0]?.expanded;
  // @ts-expect-error an expanded record can be null
  (await shelf.books.get(1, { expand: ['author'] })).expanded.author.name;
  // @ts-expect-error only author was expanded
  (await shelf.books.get(1, { expand: ['author'] })).expanded.follows;
  // @ts-expect-error an optional field can be null
  (await shelf.books.get(1)).pages satisfies bigint;
  // @ts-expect-error an id is a number
  await shelf.books.get('1');

  // @ts-expect-error a title is required
  await shelf.books.create({ isbn: '9780441013593', price: '9.99', author: 7 });
  // @ts-expect-error there is no such field
  await shelf.books.create({ ...draft, colour: 'red' });
  // @ts-expect-error the server assigns the id
  await shelf.books.create({ ...draft, id: 7 });
  // @ts-expect-error the server counts versions
  await shelf.books.create({ ...draft, version: 1 });
  // @ts-expect-error an integer is a bigint
  await shelf.books.create({ ...draft, pages: 412 });
  // @ts-expect-error a decimal is text
  await shelf.books.create({ ...draft, price: 9.99 });
  // @ts-expect-error it has a default, and is not optional
  await shelf.books.create({ ...draft, state: null });
  // @ts-expect-error a list of integers
  await shelf.books.create({ ...draft, ratings: [5] });
  // @ts-expect-error functions are no JSON
  await shelf.books.create({ ...draft, meta: () => {} });
  // @ts-expect-error only contract collections have an external_id
  await shelf.books.create({ ...draft, external_id: 7n });
  // @ts-expect-error there is no such field
  await shelf.books.update(7, { colour: 'red' });
  // @ts-expect-error the server assigns the id
  await shelf.books.update(7, { id: 8 });
  // @ts-expect-error a record needs its version
  await shelf.books.update({ id: 7 }, { title: 'x' });
  // @ts-expect-error a replacement is a whole record
  await shelf.books.replace(7, { title: 'x' });
  // @ts-expect-error an id is a number
  await shelf.books.delete('7');
  // @ts-expect-error a title is not unique
  await shelf.books.createMany([{ title: 'x' }], { key: ['title'] });
  // @ts-expect-error every record needs the key
  await shelf.books.createMany([{ price: '1' }], { key: ['isbn'] });
  // @ts-expect-error there is no such field
  await shelf.books.createMany([{ isbn: '9780441013593', colour: 'red' }], { key: ['isbn'] });
  // @ts-expect-error nothing is unique
  await shelf.authors.createMany([{ name: 'Borges' }], { key: ['name'] });
  // @ts-expect-error without a key nothing is updated
  (await shelf.books.createMany([draft])).updated;
  // @ts-expect-error a source of drafts
  await shelf.books.createMany([{ title: 'x' }]);
  // @ts-expect-error a source, not one record
  await shelf.books.createMany(draft);

  for await (const change of shelf.books.changes()) {
    // @ts-expect-error a resync has no record
    change.record;
    // @ts-expect-error there is no such type
    if (change.type === 'author.created') break;
  }
  for await (const change of shelf.changes()) {
    // @ts-expect-error an author has no title
    if (change.type === 'author.created') change.record.title;
  }
  for await (const books of shelf.books.live()) {
    // @ts-expect-error the list belongs to the client
    books.push(...books);
    // @ts-expect-error there is no such field
    books[0]?.colour;
  }
  // @ts-expect-error the author may change alone
  shelf.books.live({ where: { 'author.name': 'x' } });
  // @ts-expect-error the author may change alone
  shelf.books.live({ where: { any: [{ 'author.name': 'x' }] } });
  // @ts-expect-error there is no such field
  shelf.books.live({ where: { colour: 'red' } });
  // @ts-expect-error a decimal is text
  shelf.books.live({ where: { price: { gte: 5 } } });
  // @ts-expect-error a list has no order
  shelf.books.live({ sort: ['tags'] });
  // @ts-expect-error the whole list is read
  shelf.books.live({ limit: 5 });
  // @ts-expect-error records are whole
  shelf.books.live({ fields: ['title'] });
  // @ts-expect-error a function for the lists
  shelf.books.live().subscribe();
  shelf.books.live().subscribe(
    () => {},
    // @ts-expect-error there is no such code
    ({ code }) => void (code === 'not_there'),
  );
  if (!(error instanceof ShelfError)) return;
  // @ts-expect-error there is no such code
  if (error.code === 'not_there') return;
  // @ts-expect-error there is no such status
  if (error.status === 412 && error.code === 'already_exists') return;
  // @ts-expect-error only some failures name a record
  error.details.id satisfies number;
}
