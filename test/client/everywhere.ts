/**
 * What the client has to do on every runtime. It is bundled, and runs where there is no test runner: it returns what it found,
 * as JSON.
 */
import { createClient, Digits, ShelfError } from '../../src/client/index.ts';
import type { Shelf } from './shelf.d.ts';

/** Values that JSON.stringify would lose. */
function shown(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (value instanceof Digits) return `digits ${value}`;
  if (value instanceof ShelfError) return `${value.code} ${value.status}`;
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one)]));
}

const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);

export async function everything(url: string, key: string): Promise<unknown> {
  // The process has to end although the time-out is far away.
  const shelf = createClient<Shelf>({ url, key, timeout: 600_000 });
  const changes = shelf.books.changes();
  const first = await changes.next();

  const live = shelf.books.live({ where: { price: { gte: '7' } }, sort: ['-pages'] })[Symbol.asyncIterator]();
  const before = (await live.next()).value?.length;
  const author = await shelf.authors.create({ name: 'Borges' });
  const draft = {
    title: 'Ficciones “é📚” 9007199254740993',
    isbn: '9780802130303',
    price: '12.3',
    author: author.id,
    pages: 9007199254740993n,
    weight: -0,
    tags: ['1e5'],
    ratings: [-9223372036854775808n, 9223372036854775807n],
    meta: { exact: 12345678901234567890n, places: new Digits('0.12345678901234567890'), double: 1e308, small: 1e-7 },
  };
  const book = await shelf.books.create(draft);
  const change = await changes.next();
  await changes.return();
  const added = (await live.next()).value?.map(({ pages }) => pages);
  const changed = await shelf.books.update(book, { weight: 0.1, price: '7' });
  const replaced = (await live.next()).value?.map(({ weight }) => weight);
  await live.return();
  const prices = [0.1, 1e-7, -0, 1e308, 5e-324, 0.30000000000000004];
  const { created } = await shelf.items.createMany(
    prices.map((price) => ({ external_id: BigInt(price > 1 ? 7 : -1), name: 'exact', price })),
  );
  const exact: number[] = [];
  for await (const { price } of shelf.items.all({ where: { name: 'exact' }, sort: ['id'], fields: ['price'] }))
    exact.push(price);
  const page = await shelf.books.list({
    where: { pages: { gte: 9007199254740993n } },
    expand: ['author'],
    count: 'exact',
  });
  const count = await shelf.items.count({ where: { external_id: { in: [7n, -1n] }, name: 'exact' } });
  const { data } = await shelf.books.summary({
    group: ['state', 'created_at.year'],
    measures: ['count', 'pages.sum', 'pages.avg', 'price.max', 'weight.sum'],
    having: { 'pages.sum': { gte: 9007199254740993n } },
  });
  const summary = data.map(({ 'created_at.year': year, ...row }) => [typeof year, ...Object.values(row)]);
  const stale = await failure(shelf.books.delete(book));
  const taken = await failure(shelf.books.create(draft));
  const aborted = await failure(shelf.books.get(book.id, { signal: AbortSignal.abort() }));
  const unreachable = await failure(createClient<Shelf>({ url: 'http://127.0.0.1:1', retries: 0 }).books.get(1));
  await shelf.books.delete(changed);
  const missing = await failure(shelf.books.get(book.id));
  const made = await shelf.transaction(
    (t) => {
      const other = t.authors.create({ name: 'Woolf' });
      const again = t.books.create({ ...draft, author: other });
      return [t.books.add(again, { pages: 1n }), t.books.check({ author: author.id }, { count: 0 })] as const;
    },
    { return: 'records' },
  );
  const unmet = await failure(shelf.transaction((t) => t.authors.check(author.id, { exists: false })));
  const sent = Object.keys(draft) as (keyof typeof draft)[];
  return shown({
    first: first.value?.type,
    book: Object.fromEntries(sent.map((field) => [field, book[field]])),
    change: change.value?.type === 'book.created' ? change.value.record.pages : change.value,
    live: [before, added, replaced],
    changed: [changed.weight, changed.price, changed.version],
    created,
    exact,
    page: [page.data.map(({ pages, expanded }) => [pages, expanded.author?.name]), page.total],
    count,
    summary,
    made: [made[0].pages, made[0].ratings, made[1].count],
    failures: [stale, taken, aborted, unreachable, missing, unmet],
  });
}

/** Behind a proxy that loses answers: `faults` of the test has the same order. */
export async function withFaults(url: string): Promise<unknown> {
  const shelf = createClient<Shelf>({ url });
  await shelf.users.list();
  const { id, version } = await shelf.users.create({ name: 'once' });
  const refused = await shelf.users.update({ id, version }, { name: 'twice' });
  const lost = await failure(shelf.users.update(refused, { name: 'lost' }));
  const deleted = await failure(shelf.users.delete(id));
  return shown({
    count: await shelf.users.count({ where: { name: 'once' } }),
    version: refused.version,
    lost,
    deleted,
  });
}

export function countUsers(url: string): Promise<number> {
  return createClient<Shelf>({ url }).users.count();
}
