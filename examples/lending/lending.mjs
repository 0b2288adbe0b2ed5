/** A lending library. Each step is one transaction: all of its operations happen, or none. */
import { createClient, ShelfError } from 'shelf/client';

const { SHELF_URL: url = 'http://127.0.0.1:8000', SHELF_KEY: key } = process.env;
const shelf = createClient({ url, key });

const mostLoans = 2;
const fee = '0.50';
const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Members and books by name, as new ones or as they are. */
function openLibrary(names, titles) {
  return shelf.transaction((t) => ({
    members: names.map((name) => t.members.upsert({ name }, {})),
    books: titles.map((title) => t.books.upsert({ title }, {})),
  }));
}

/** Lends a book that is available to a member with few open loans. */
function lend(book, member) {
  return shelf.transaction((t) => {
    t.loans.check({ member: member.id, returned_on: { is: 'null' } }, { count: { lt: mostLoans } });
    t.books.update(book.id, { state: 'lent' }, { where: { state: 'available' } });
    t.members.add(member.id, { loans_total: 1n, deposit: `-${fee}` });
    return t.loans.create({ book: book.id, member: member.id, due_on: day(28) });
  });
}

/** Takes a book back. A loan that was returned already is refused, so the deposit is paid back once. */
async function takeBack(loan) {
  const { book, member } = await shelf.loans.get(loan.id);
  return shelf.transaction((t) => {
    t.loans.update(loan.id, { returned_on: day(0) }, { where: { returned_on: { is: 'null' } } });
    t.books.update(book, { state: 'available' });
    t.members.add(member, { deposit: fee });
  });
}

/** What the library says to a refusal, by the operation that failed. */
async function attempt(what, step) {
  try {
    const done = await step();
    console.log(`${what}: done`);
    return done;
  } catch (error) {
    if (!(error instanceof ShelfError) || error.code !== 'check_failed') throw error;
    const { operation, collection, details } = error;
    const found = details.count === undefined ? '' : `: ${details.count} open loans`;
    console.log(`${what}: refused by operation ${operation}, on ${collection}${found}`);
    return undefined;
  }
}

const {
  members: [ada, alan],
  books: [dune, emma, ulysses],
} = await openLibrary(['Ada', 'Alan'], ['Dune', 'Emma', 'Ulysses']);

const first = await attempt('Ada borrows Dune', () => lend(dune, ada));
await attempt('Alan borrows Dune', () => lend(dune, alan));
const second = await attempt('Ada borrows Emma', () => lend(emma, ada));
await attempt('Ada borrows Ulysses', () => lend(ulysses, ada));
console.log(`Ulysses is ${(await shelf.books.get(ulysses.id)).state}`);

await attempt('Ada returns Dune', () => takeBack(first));
await attempt('Ada returns Dune again', () => takeBack(first));
const third = await attempt('Alan borrows Dune', () => lend(dune, alan));

// The two that are still lent go back, so that the example can run again.
for (const loan of [second, third]) await takeBack(loan);
const { deposit } = await shelf.members.get(ada.id);
console.log(
  `Ada has a deposit of ${deposit}, and ${await shelf.loans.count({ where: { returned_on: { is: 'null' } } })} loans are open`,
);
