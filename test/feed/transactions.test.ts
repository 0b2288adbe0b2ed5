/** Transactions of several operations in both feeds: a page and a write to the socket have them whole, as far as they fit. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { markTransaction } from '../support/data/mark-transaction.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Change = { readonly seq: number; readonly transaction?: { readonly first: number; readonly size: number } };
type Page = { readonly data: readonly Change[]; readonly last: number; readonly partial?: boolean };
type Kind = 'item' | 'user' | 'big';

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let database: string;
  let server: TestServer;
  beforeAll(async () => {
    database = await newUrl();
    server = await startServer({ database });
  });
  afterAll(() => server.stop());

  const last = async () => (await server.store.feed.history()).last;

  /** Adds a record for each, and returns the number before them. Numbers that follow count from there. */
  async function add(...kinds: readonly Kind[]): Promise<number> {
    const before = await last();
    for (const kind of kinds) {
      const name = kind === 'big' ? 'x'.repeat(600_000) : 'x';
      const body = JSON.stringify(kind === 'user' ? { name } : { name, price: 1 });
      const answer = await fetch(`${server.url}/api/v2/${kind === 'user' ? 'users' : 'items'}`, {
        method: 'POST',
        body,
      });
      expect(answer.status).toBe(201);
    }
    return before;
  }

  const textOf = async (search: string) => (await fetch(`${server.url}/api/v2/changes?${search}`)).text();

  /** Every page from `start` on: the changes, and how far it has looked, in numbers from `start` on; `partial` if it says so. */
  async function pagesFrom(start: number, search: string): Promise<string[]> {
    const pages: string[] = [];
    for (let after = start; ; ) {
      const page = JSON.parse(await textOf(`after=${after}&${search}`)) as Page;
      if (page.data.length === 0) return pages;
      const numbers = page.data.map(({ seq }) => seq - start).join(' ');
      pages.push(`${numbers} to ${page.last - start}${page.partial === true ? ', partial' : ''}`);
      after = page.last;
    }
  }

  test('a change of a transaction names its first change and its size, the others do not', async () => {
    const start = await add('item', 'item', 'user', 'item');
    await markTransaction(database, start + 2, 2);
    const text = await textOf(`after=${start}`);
    const { data } = JSON.parse(text) as Page;
    const transaction = { first: start + 2, size: 2 };
    expect(data.map((change) => change.transaction)).toEqual([undefined, transaction, transaction, undefined]);
    expect(text).toContain(`"by":null,"transaction":{"first":${start + 2},"size":2},"record":{`);
    expect(text.split('"transaction"')).toHaveLength(3);

    const listening = await Listening.to(`${server.url}/api/v2/events?after=${start}`);
    await listening.until(() => listening.told.length === 4);
    expect(listening.told.map((event) => JSON.parse(event.data))).toEqual(data as Change[]);
    listening.leave();
  });

  test('a page ends before a transaction that does not fit, and inside one that fits no page', async () => {
    const start = await add('item', 'item', 'user', 'item', 'user', 'item');
    await markTransaction(database, start + 2, 4);
    expect(await pagesFrom(start, 'limit=1')).toEqual([
      '1 to 1',
      '2 to 2, partial',
      '3 to 3, partial',
      '4 to 4, partial',
      '5 to 5',
      '6 to 6',
    ]);
    expect(await pagesFrom(start, 'limit=2')).toEqual(['1 to 1', '2 3 to 3, partial', '4 5 to 5', '6 to 6']);
    expect(await pagesFrom(start, 'limit=3')).toEqual(['1 to 1', '2 3 4 to 4, partial', '5 6 to 6']);
    expect(await pagesFrom(start, 'limit=4')).toEqual(['1 to 1', '2 3 4 5 to 5', '6 to 6']);
    expect(await pagesFrom(start, 'limit=5')).toEqual(['1 2 3 4 5 to 5', '6 to 6']);
    expect(await pagesFrom(start, 'limit=6')).toEqual(['1 2 3 4 5 6 to 6']);
    expect(await textOf(`after=${start}&limit=6`)).not.toContain('partial');
  });

  test('transactions that follow each other are each whole', async () => {
    const start = await add('item', 'item', 'item', 'item', 'item');
    await markTransaction(database, start + 1, 2);
    await markTransaction(database, start + 3, 3);
    expect(await pagesFrom(start, 'limit=2')).toEqual(['1 2 to 2', '3 4 to 4, partial', '5 to 5']);
    expect(await pagesFrom(start, 'limit=3')).toEqual(['1 2 to 2', '3 4 5 to 5']);
    expect(await pagesFrom(start, 'limit=4')).toEqual(['1 2 to 2', '3 4 5 to 5']);
  });

  test('in the feed of one collection, changes of others do not count', async () => {
    const start = await add('item', 'item', 'user', 'item', 'user', 'item');
    await markTransaction(database, start + 2, 4);
    expect(await pagesFrom(start, 'collection=items&limit=1')).toEqual([
      '1 to 1',
      '2 to 2, partial',
      '4 to 4',
      '6 to 6',
    ]);
    expect(await pagesFrom(start, 'collection=items&limit=2')).toEqual(['1 to 1', '2 4 to 4', '6 to 6']);
    expect(await pagesFrom(start, 'collection=items&limit=3')).toEqual(['1 2 4 to 4', '6 to 6']);
    expect(await pagesFrom(start, 'collection=users&limit=1')).toEqual(['3 to 3, partial', '5 to 6']);
    expect(await pagesFrom(start, 'collection=users&limit=2')).toEqual(['3 5 to 6']);
  });

  test('so does a page that ends early because its records are large', async () => {
    const start = await add('item', 'big', 'big', 'big', 'user', 'item');
    await markTransaction(database, start + 2, 4);
    expect(await pagesFrom(start, 'limit=100')).toEqual(['1 to 1', '2 3 to 3, partial', '4 5 6 to 6']);
    expect(await pagesFrom(start, 'collection=users')).toEqual(['5 to 6']);

    const other = await add('big', 'big', 'user', 'user', 'item');
    await markTransaction(database, other + 1, 4);
    expect(await pagesFrom(other, 'limit=100')).toEqual(['1 2 to 2, partial', '3 4 5 to 5']);
    // The rest of the transaction is of another collection.
    expect(await pagesFrom(other, 'collection=items')).toEqual(['1 2 to 2', '5 to 5']);
  });

  test('the live feed sends every change of large transactions once, in order', async () => {
    const start = await add(...Array<Kind>(30).fill('item'), 'big', 'big', 'big', ...Array<Kind>(30).fill('user'));
    await markTransaction(database, start + 11, 40);
    const listening = await Listening.to(`${server.url}/api/v2/events?after=${start}`);
    const users = await Listening.to(`${server.url}/api/v2/events?after=${start}&collection=users`);
    await listening.until(() => listening.told.length >= 63);
    await users.until(() => users.told.length >= 30);
    await add('user');
    await listening.until(() => listening.told.length >= 64);
    await users.until(() => users.told.length >= 31);
    const numbers = ({ told }: Listening) => told.map(({ id }) => Number(id) - start);
    expect(numbers(listening)).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
    expect(numbers(users)).toEqual(Array.from({ length: 31 }, (_, index) => index + 34));
    for (const one of [listening, users]) one.leave();
  });
});
