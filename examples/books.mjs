/** A Node script with the client. With TypeScript, `createClient<Shelf>` has the types of `shelf types`. */
import { createClient, ShelfError } from 'shelf/client';

const { SHELF_URL: url = 'http://127.0.0.1:8000', SHELF_KEY: key } = process.env;
const shelf = createClient({ url, key });

/** The author of this name: an existing one, or a new one. */
async function authorNamed(name) {
  try {
    return await shelf.authors.create({ name });
  } catch (error) {
    // Another client has added it before.
    if (error instanceof ShelfError && error.code === 'already_exists') return shelf.authors.get(error.details.id);
    throw error;
  }
}

/** Sells one copy, also while other clients sell some: a record that was changed meanwhile is read again. */
async function sell(id) {
  for (;;) {
    const book = await shelf.books.get(id);
    if (book.copies === 0n) return undefined;
    try {
      return await shelf.books.update(book, { copies: book.copies - 1n });
    } catch (error) {
      if (!(error instanceof ShelfError && error.code === 'precondition_failed')) throw error;
    }
  }
}

const borges = await authorNamed('Jorge Luis Borges');
const book = await shelf.books.create({ title: 'Ficciones', price: '12.3', copies: 3n, author: borges.id });
console.log(`Added ${book.title} for ${book.price}, with id ${book.id}.`);

const sales = await Promise.all([sell(book.id), sell(book.id), sell(book.id), sell(book.id)]);
console.log(`Sold ${sales.filter((sale) => sale !== undefined).length} of 3 copies to 4 customers.`);

const { created } = await shelf.books.createMany(
  Array.from({ length: 2500 }, (_, index) => ({ title: `Volume ${index + 1}`, price: '1' })),
);
let total = 0;
for await (const { price } of shelf.books.all({ where: { title: { starts_with: 'Volume ' } }, fields: ['price'] }))
  total += Number(price);
console.log(`Added ${created} volumes, which cost ${total} together.`);

const { data } = await shelf.books.list({
  where: { price: { gt: '10' } },
  sort: ['-price'],
  expand: ['author'],
  limit: 3,
});
for (const { title, price, expanded } of data) console.log(`${title}, ${price}, by ${expanded.author?.name}`);

const refused = await shelf.books.create({ title: '', price: '-1' }).catch((error) => error);
for (const { field, detail } of refused.problems) console.log(`Refused: ${field} ${detail}`);
