/** `shelf import FILE --key`: records that exist are updated, directly and through a server, and however often it is stopped. */
import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared } from '../support/data/library.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { importHere, type Order } from '../support/servers/import-here.ts';
import { startServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
const collections = declared({
  books: {
    singular: 'book',
    fields: {
      isbn: { type: 'text', max: 20, unique: true },
      title: 'text',
      price: { type: 'decimal', scale: 2, default: '1.00' },
      added_on: { type: 'date', default: '$today' },
    },
  },
});
const [books] = collections.filter(({ name }) => name === 'books');
if (books === undefined) throw new Error('there are books');
const all = { collections, collection: books };
let made = 0;

function fileOf(text: string, ending = 'csv'): string {
  const path = join(folder, `${made++}.${ending}`);
  writeFileSync(path, text);
  return path;
}
const rows = (from: number, to: number, row: (n: number) => string) =>
  Array.from({ length: to - from }, (_, n) => row(from + n)).join('');
const stock = () => fileOf(`isbn,title\n${rows(0, 50, (n) => `i${n},b${n}\n`)}`);
/** The first 30 exist. */
const prices = (price = 2, ending = 'csv') =>
  ending === 'csv'
    ? fileOf(`ISBN,title,price\n${rows(20, 70, (n) => `i${n},p${n},${price}\n`)}`)
    : fileOf(
        rows(20, 70, (n) => `{"ISBN":"i${n}","title":"p${n}","price":"${price}"}\n`),
        ending,
      );
const keyed = ['--key', 'isbn', '--map', 'ISBN=isbn'];

describe.each(migratedEngines())('%s', (_, newUrl) => {
  const serve = (database: string) => startServer({ database, collections });

  async function importTo(database: string, way: 'direct' | 'url', order: Order) {
    if (way === 'direct') return importHere({ ...all, ...order, to: database });
    const server = await serve(database);
    try {
      return await importHere({ ...all, ...order, to: server.url });
    } finally {
      await server.stop();
    }
  }

  async function newDatabase(): Promise<string> {
    const database = await newUrl();
    await (await serve(database)).stop();
    expect((await importTo(database, 'direct', { file: stock() })).said).toEndWith(': 50 records added.\n');
    return database;
  }

  async function stored(database: string) {
    const server = await serve(database);
    try {
      const answer = await fetch(`${server.url}/api/v2/books?limit=1000&sort=id`);
      const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
      return data.map(({ isbn, title, price, version }) => `${isbn} ${title} ${price} ${version}`);
    } finally {
      await server.stop();
    }
  }
  const after = (price: string, version = 2) => [
    ...Array.from({ length: 20 }, (_, n) => `i${n} b${n} 1.00 1`),
    ...Array.from({ length: 30 }, (_, n) => `i${n + 20} p${n + 20} ${price} ${version}`),
    ...Array.from({ length: 20 }, (_, n) => `i${n + 50} p${n + 50} ${price} ${version - 1}`),
  ];

  test.each([
    ['direct', 'csv', []],
    ['url', 'csv', []],
    ['direct', 'ndjson', ['--atomic']],
    ['url', 'ndjson', ['--atomic']],
  ] as const)(
    '%s, %s %p: both numbers are said, and the same file changes nothing again',
    async (way, ending, more) => {
      const database = await newDatabase();
      const order = { file: prices(2, ending), args: [...keyed, ...more] };
      const checked = await importTo(database, way, { ...order, args: [...keyed, '--dry-run'] });
      expect(checked).toEqual({
        code: 0,
        said: expect.stringMatching(
          /: 20 records can be created in books of .*, and 30 updated\. Nothing was changed\.\n$/,
        ),
      });
      expect(await importTo(database, way, order)).toEqual({
        code: 0,
        said: expect.stringMatching(/: 20 created, 30 updated\.\n$/),
      });
      expect(await stored(database)).toEqual(after('2.00'));
      const again = await importTo(database, way === 'url' ? 'direct' : 'url', order);
      expect(again.said).toMatch(
        /: 0 created, 0 updated, 50 records in already \(imported (?:at|from) [^)]*\)\. Use --again to import the whole file anew\.\n$/,
      );
      expect(await stored(database)).toEqual(after('2.00'));
      expect((await importTo(database, way, { ...order, args: [...order.args, '--again'] })).said).toMatch(
        /: 0 created, 50 updated\.\n$/,
      );
      expect(await stored(database)).toEqual(after('2.00', 3));
    },
  );

  test.each([
    ['direct', 'url'],
    ['url', 'direct'],
  ] as const)('stopped %s, continued %s', async (first, second) => {
    const database = await newDatabase();
    const order = { file: prices(), args: keyed };
    expect((await importTo(database, first, { ...order, stopAfter: 2 })).code).toBe(1);
    const continued = await importTo(database, second, order);
    const [, created, updated, present] =
      /: (\d+) created, (\d+) updated, (\d+) records in already /.exec(continued.said)?.map(Number) ?? [];
    expect([Number(created) + Number(updated) + Number(present), created]).toEqual([50, 20]);
    expect(await stored(database)).toEqual(after('2.00'));
  });

  test('a file that was imported without the key is not in already', async () => {
    const database = await newDatabase();
    const file = fileOf(`isbn,title\n${rows(50, 60, (n) => `i${n},b${n}\n`)}`);
    expect((await importTo(database, 'direct', { file })).said).toEndWith(': 10 records added.\n');
    expect((await importTo(database, 'direct', { file, args: ['--key', 'isbn'] })).said).toEndWith(
      ': 0 created, 10 updated.\n',
    );
  });

  test.each(['direct', 'url'] as const)('%s: rows that would be created need their required fields', async (way) => {
    const database = await newDatabase();
    const rejects = join(folder, `rejects-${made++}.csv`);
    const file = fileOf('isbn,price\ni1,7\nnew,8\n,9\ni2,9\n');
    const stopped = await importTo(database, way, { file, args: ['--key', 'isbn'] });
    expect(stopped.said).toContain('line 4: isbn cannot be null: null is not unique');
    const done = await importTo(database, way, { file, args: ['--key', 'isbn', '--rejects', rejects] });
    expect(done).toEqual({
      code: 1,
      said: expect.stringMatching(/: 0 created, 2 updated, 2 rows refused, see .*\.\n$/),
    });
    expect(await Bun.file(rejects).text()).toMatch(
      /^_line,_reason,_import,isbn,price\n4,.*\n3,"?title is required, because no record has this isbn: it would be created"?,\w+,new,8\n$/,
    );
    expect((await stored(database)).slice(0, 4)).toEqual([
      'i0 b0 1.00 1',
      'i1 b1 7.00 2',
      'i2 b2 9.00 2',
      'i3 b3 1.00 1',
    ]);
  });

  test('a key that is no rule is refused before anything is read', async () => {
    const database = await newDatabase();
    for (const way of ['direct', 'url'] as const)
      await expect(importTo(database, way, { file: 'none.csv', args: ['--key', 'title'] })).rejects.toThrow(
        '--key title must have the fields of one unique rule of books: isbn.',
      );
  });
});
