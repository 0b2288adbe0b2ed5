/** However often, whichever way and by whomever a file is imported: its rows are in once. */
import { Database } from 'bun:sqlite';
import { describe, expect, spyOn, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { FileReads } from '../../src/storage/sqlite/reads/file-reads.ts';
import type { ViewedReads } from '../../src/storage/views/viewed-reads.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared } from '../support/data/library.ts';
import { keyFor } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { importHere, type Order } from '../support/servers/import-here.ts';
import { oneThread, startServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
const collections = declared({
  books: {
    singular: 'book',
    fields: {
      title: 'text',
      isbn: { type: 'text', max: 20, unique: true, optional: true },
      record: { type: 'text', optional: true },
    },
  },
});
const books = collections.find(({ name }) => name === 'books');
if (books === undefined) throw new Error('there are books');
const all = { collections, collection: books };
let made = 0;

function fileOf(text: string, ending = 'csv'): string {
  const path = join(folder, `${made++}.${ending}`);
  writeFileSync(path, text);
  return path;
}
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `b${from + n},i${from + n}\n`).join('');
const titles = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `b${from + n}`);
/** Ten batches of ten rows. */
const hundred = () => fileOf(`title,isbn\n${rows(0, 100)}`);

const at = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';
const inAlready = (count: number, more = '') =>
  `${count} records in already \\(imported (?:at ${at}|from ${at} to ${at})${more}\\)`;

type Stopped = { readonly begun: Promise<string>; goOn(): unknown };

/** No search of this process is answered until it may go on. */
async function stopSearches(): Promise<Stopped> {
  const { search } = FileReads.prototype;
  const [begun, gate] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  const spy = spyOn(FileReads.prototype, 'search').mockImplementation(async function (this: FileReads, ...asked) {
    begun.resolve('begun');
    await gate.promise;
    return search.apply(this, asked);
  });
  return {
    begun: begun.promise,
    goOn() {
      spy.mockRestore();
      gate.resolve();
    },
  };
}

/** No session can read the books until it may go on. */
async function lockBooks(database: string): Promise<Stopped> {
  const sql = new SQL({ url: database, max: 1 });
  await sql.unsafe('begin; lock table books in access exclusive mode');
  const locksOfWaiting = `select (select count(*)::int from pg_locks as _held where _held.pid = _waiting.pid and locktype = 'advisory')
    from pg_locks as _waiting where not granted and relation = 'books'::regclass`;
  const begun = async () => {
    for (;;) {
      const [waiting] = await sql.unsafe(locksOfWaiting).values();
      // With the lock of writers, others would get their turn only at the timeout.
      if (waiting !== undefined) return waiting[0] === 0 ? 'begun' : 'begun with a lock';
      await Bun.sleep(1);
    }
  };
  return {
    begun: begun(),
    async goOn() {
      await sql.unsafe('commit');
      await sql.close();
    },
  };
}

describe.each(migratedEngines())('%s', (engine, newUrl) => {
  async function newDatabase(): Promise<string> {
    const database = await newUrl();
    await (await serve(database)).stop();
    return database;
  }
  const serve = (database: string) => startServer({ database, collections });

  /** A direct import opens a SQLite file alone. */
  async function importTo(database: string, way: 'direct' | 'url', order: Order) {
    if (way === 'direct') return importHere({ ...all, ...order, to: database });
    const server = await serve(database);
    try {
      return await importHere({ ...all, ...order, to: server.url });
    } finally {
      await server.stop();
    }
  }

  /** Read from the table itself: no server has to start. */
  async function titlesIn(database: string): Promise<string[]> {
    const statement = 'select title from books order by seq';
    if (engine === 'sqlite') {
      using db = new Database(database.slice('sqlite:'.length), { readonly: true });
      return db
        .query<{ title: string }, []>(statement)
        .all()
        .map(({ title }) => title);
    }
    await using sql = new SQL({ url: database, max: 1 });
    return (await sql.unsafe(statement)).map(({ title }: { title: string }) => title);
  }

  const ways = [
    ['direct', 'url', []],
    ['url', 'direct', []],
    ['direct', 'url', ['--atomic']],
  ] as const;
  test.each(ways)('stopped %s, continued %s %p', async (first, second, args) => {
    const database = await newDatabase();
    const file = hundred();
    const stopped = await importTo(database, first, { file, stopAfter: 4 });
    expect(stopped).toEqual({ code: 1, said: expect.stringContaining('Stopped: ') });
    const before = (await titlesIn(database)).length;
    expect(before).toBeGreaterThanOrEqual(40);
    expect(before).toBeLessThanOrEqual(50);
    expect(await importTo(database, second, { file, args })).toEqual({
      code: 0,
      said: expect.stringMatching(new RegExp(`: ${100 - before} records added, ${inAlready(before)}\\.\\n$`)),
    });
    expect(await titlesIn(database)).toEqual(titles(0, 100));
  });

  test('a whole file is in once, whichever way it is imported next', async () => {
    const database = await newDatabase();
    const file = hundred();
    expect((await importTo(database, 'url', { file, args: ['--atomic'] })).said).toEndWith(': 100 records added.\n');
    const nothing = new RegExp(`: 0 records added, ${inAlready(100)}\\.\\n$`);
    expect((await importTo(database, 'direct', { file })).said).toMatch(nothing);
    expect((await importTo(database, 'direct', { file, args: ['--atomic'] })).said).toMatch(nothing);
    const server = await serve(database);
    expect((await importHere({ ...all, file, to: server.url })).said).toMatch(nothing);
    expect((await importHere({ ...all, file, to: server.url, args: ['--atomic'] })).said).toMatch(nothing);
    await server.stop();
    expect(await titlesIn(database)).toEqual(titles(0, 100));
  });

  test('with another API key, and with none', async () => {
    const database = await newDatabase();
    const file = hundred();
    const server = await startServer({ database, collections, access: { auth: 'write' } });
    const [one, other] = [await keyFor(server, 'write'), await keyFor(server, 'admin')];
    const to = server.url;
    expect((await importHere({ ...all, file, to, apiKey: one, stopAfter: 4 })).code).toBe(1);
    const continued = await importHere({ ...all, file, to, apiKey: other });
    expect(continued).toMatchObject({
      code: 0,
      said: expect.stringMatching(new RegExp(inAlready(50).replace('50', '[45]0'))),
    });
    await server.stop();
    expect((await importTo(database, 'direct', { file })).said).toMatch(
      new RegExp(`: 0 records added, ${inAlready(100)}\\.\\n$`),
    );
    expect(await titlesIn(database)).toEqual(titles(0, 100));
  });

  test('rows that clash are named by their lines, although batches before them are in', async () => {
    const database = await newDatabase();
    const good = `title,isbn\n${rows(0, 10)}`;
    await importTo(database, 'direct', { file: fileOf(good) });
    // Line 14 clashes with a record of the first batch, line 24 with line 15.
    const clashing = `${rows(10, 12)}x,i3\n${rows(13, 22)}y,i13\n`;
    const file = fileOf(good + clashing);
    for (const way of ['direct', 'url'] as const) {
      const { code, said } = await importTo(database, way, { file, args: ['--atomic'] });
      expect(code).toBe(1);
      expect(said).toContain(`${file}, line 14: isbn must be unique; record 4 has this value.\n`);
      expect(said).toContain(`${file}, line 24: isbn must be unique; line 15 has this value.\n`);
      expect(said).toContain('2 rows of ');
    }
    expect(await titlesIn(database)).toEqual(titles(0, 10));
  });

  test('of rows that were deleted since, it is said when they were imported, and --again imports them anew', async () => {
    const database = await newDatabase();
    const file = hundred();
    await importTo(database, 'url', { file });
    const server = await serve(database);
    for (let id = 1; id <= 100; id++)
      expect((await fetch(`${server.url}/api/v2/books/${id}`, { method: 'DELETE' })).status).toBe(204);
    const gone = new RegExp(
      `: 0 records added, ${inAlready(100, '; 100 of them no longer exist')}\\. Use --again to import the whole file anew\\.\\n$`,
    );
    expect((await importHere({ ...all, file, to: server.url })).said).toMatch(gone);
    await server.stop();
    for (const [way, args] of [
      ['direct', []],
      ['url', ['--atomic']],
    ] as const)
      expect((await importTo(database, way, { file, args })).said).toMatch(gone);
    expect(await titlesIn(database)).toEqual([]);

    const stopped = await importTo(database, 'direct', { file, args: ['--again'], stopAfter: 4 });
    expect(stopped).toMatchObject({
      code: 1,
      said: expect.stringContaining('Run the same command without --again to continue: '),
    });
    const before = (await titlesIn(database)).length;
    const continued = await importTo(database, 'url', { file });
    expect(continued.said).toMatch(new RegExp(`: ${100 - before} records added, ${inAlready(before)}\\.\\n$`));
    expect(await titlesIn(database)).toEqual(titles(0, 100));
  });

  test('other writes do not wait while the records of a batch that is in are counted', async () => {
    const database = await newUrl();
    const server = await startServer({ server: oneThread, database, collections });
    const send = () =>
      fetch(`${server.url}/api/v2/books?import=once`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: `{"title":"a"}\n{"title":"b"}\n[{"key":"${'a'.repeat(64)}","records":2}]\n`,
      });
    expect((await send()).status).toBe(201);
    const counting = await (engine === 'sqlite' ? stopSearches() : lockBooks(database));
    const again = send();
    try {
      const answered = again.then(() => 'answered');
      expect(await Promise.race([counting.begun, answered])).toBe('begun');
      const other = fetch(`${server.url}/api/items`, { method: 'POST', body: '{"id":7,"name":"n","price":1}' });
      expect(await Promise.race([other.then(({ status }) => status), answered])).toBe(201);
    } finally {
      await counting.goOn();
      await again;
      await server.stop();
    }
    expect(await (await again).json()).toMatchObject({ created: 0, batches: [{ earlier: { existing: 2 } }] });
  });

  test('--again with --atomic, and of a part of the rows', async () => {
    const database = await newDatabase();
    const file = fileOf('title\na\nb\nc\n');
    await importTo(database, 'direct', { file });
    const server = await serve(database);
    await fetch(`${server.url}/api/v2/books/2`, { method: 'DELETE' });
    const told = (await importHere({ ...all, file, to: server.url })).said;
    expect(told).toMatch(new RegExp(inAlready(3, '; 1 of them no longer exist')));
    expect((await importHere({ ...all, file, to: server.url, args: ['--again', '--atomic'] })).said).toEndWith(
      ': 3 records added.\n',
    );
    expect((await importHere({ ...all, file, to: server.url })).said).toMatch(
      new RegExp(`: 0 records added, ${inAlready(3)}\\.\\n$`),
    );
    await server.stop();
    expect(await titlesIn(database)).toEqual(['a', 'c', 'a', 'b', 'c']);
  });

  test('rows that were refused then and are not now are told apart from those that are in', async () => {
    const database = await newDatabase();
    const file = fileOf('title,isbn\na,1\nb,1\n');
    const rejects = join(folder, `${made++}-rejects.csv`);
    const first = await importTo(database, 'url', { file, args: ['--rejects', rejects] });
    expect(first.said).toEndWith(`: 1 record added, 1 row refused, see ${rejects}.\n`);
    const again = await importTo(database, 'direct', { file });
    expect(again).toEqual({
      code: 1,
      said: expect.stringMatching(
        /: 0 records added, 1 record in already \(imported at \S+; 1 row refused then\)\.\n$/,
      ),
    });
    expect(await titlesIn(database)).toEqual(['a']);
  });

  test('with another --map it is another import', async () => {
    const database = await newDatabase();
    const file = fileOf('one,other\na,b\n');
    const maps = [
      ['--map', 'one=title', '--map', 'other='],
      ['--map', 'other=title', '--map', 'one='],
    ];
    const lines = fileOf('{"one":"c","other":"d"}\n', 'ndjson');
    for (const args of maps)
      for (const one of [file, lines])
        expect((await importTo(database, 'direct', { file: one, args })).said).toEndWith(': 1 record added.\n');
    expect((await titlesIn(database)).sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  if (engine === 'sqlite')
    test('a key that a client chooses never meets that of an import', async () => {
      const database = await newDatabase();
      const server = await serve(database);
      const key = 'a'.repeat(64);
      const post = (body: string, query = '', headers: Record<string, string> = {}) =>
        fetch(`${server.url}/api/v2/books/bulk${query}`, {
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/x-ndjson', ...headers },
        });
      const imported = (records: number) =>
        `${'{"title":"x"}\n'.repeat(records)}[{"key":"${key}","records":${records}}]\n`;
      for (const own of [key, `import/${key}`, `import-${key}`])
        expect((await post('{"title":"own"}', '', { 'Idempotency-Key': own })).headers.get('idempotent-replayed')).toBe(
          null,
        );
      const first = await post(imported(2), '?import=once');
      expect([first.status, await first.json()]).toEqual([
        201,
        { created: 2, batches: [{ created: 2, first_id: 4, last_id: 5 }] },
      ]);
      const second = await post(imported(2), '?import=once');
      expect(await second.json()).toEqual({
        created: 0,
        batches: [{ created: 2, first_id: 4, last_id: 5, earlier: { at: expect.any(String), existing: 2 } }],
      });
      const wrong: readonly (readonly [body: string, query: string, detail: string])[] = [
        ['{"title":"x"}\n', '?import=once', 'must list the batches'],
        [
          imported(1).replace('"records":1', '"records":2'),
          '?import=once',
          'lists batches of 2 records, and the body has 1',
        ],
        [imported(1).replace(key, 'guess'), '?import=once', 'SHA-256'],
        [`[{"key":"${key}","records":0},{"key":"${key}","records":0}]`, '?import=once', 'has a key twice'],
        ['[{"key"', '?import=once', 'must list batches'],
        [`${imported(1)}{"title":"y"}\n`, '?import=once', 'send nothing after it'],
        [imported(1), '?import=yes', 'expected once or again'],
        [imported(1), '?import=once&dry_run=true', 'expected no dry_run beside it'],
        [imported(1), '', 'must be a JSON object'],
      ];
      for (const [body, query, detail] of wrong) {
        const answer = await post(body, query);
        expect({ body, status: answer.status, text: await answer.text() }).toMatchObject({
          body,
          status: 400,
          text: expect.stringContaining(detail),
        });
      }
      expect((await post(imported(1), '?import=once', { 'Content-Type': 'text/csv' })).status).toBe(415);
      expect((await (await fetch(`${server.url}/api/v2/books?count=exact`)).json()) as object).toMatchObject({
        total: 5,
      });
      await server.stop();
    });
});

test('the records of a batch that is in are not counted for a client that has left', async () => {
  const server = await startServer({ server: oneThread, collections });
  const client = new AbortController();
  const send = () =>
    fetch(`${server.url}/api/v2/books?import=once`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: `{"title":"a"}\n[{"key":"${'a'.repeat(64)}","records":1}]\n`,
      signal: client.signal,
    });
  expect((await send()).status).toBe(201);
  const [counting, ended] = [Promise.withResolvers<AbortSignal | undefined>(), Promise.withResolvers<void>()];
  using _ = spyOn((server.store.reads as ViewedReads).engine, 'total').mockImplementation(
    async (_collection, _filters, requester) => {
      counting.resolve(requester?.signal);
      await ended.promise;
      return 1;
    },
  );
  const again = send().catch(() => 'left');
  try {
    const signal = await counting.promise;
    expect(signal).toBeInstanceOf(AbortSignal);
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    client.abort();
    expect(await again).toBe('left');
    await aborted;
  } finally {
    ended.resolve();
    await again;
    await server.stop();
  }
});
