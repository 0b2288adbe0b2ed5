/** An Idempotency-Key makes one record, across crashes and instances. */

import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { everybody } from '../../src/domain/store/writes.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared, library } from '../support/data/library.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const create = (url: string, key: string) =>
  fetch(`${url}/api/v2/items`, {
    method: 'POST',
    headers: { 'Idempotency-Key': key },
    body: `{"name":"${key}","price":1}`,
  });
const total = async (url: string, key: string) =>
  ((await (await fetch(`${url}/api/v2/items?name=${key}&count=exact`)).json()) as { total: number }).total;

test('a request that is retried after a crash during its commit makes one record', async () => {
  const args = ['--database', `sqlite:${join(temporaryFolder(), 'killed.db')}`, '--log', 'off'];
  let shelf = await startShelf({ args });
  for (let round = 0; round < 8; round++) {
    const key = `round-${round}`;
    const lost = create(shelf.url, key).catch(() => undefined);
    // The kill comes at a varying point, from before the request to after its answer.
    await Bun.sleep(round);
    await shelf.stop('SIGKILL');
    await lost;

    shelf = await startShelf({ args });
    expect((await create(shelf.url, key)).status).toBe(201);
    expect(await total(shelf.url, key)).toBe(1);
  }
  await shelf.stop();
}, 180_000);

test.skipIf(postgresUrl === undefined)('requests with the same key to two instances make one record', async () => {
  const database = await newDatabase();
  const [left, right] = [await startServer({ database }), await startServer({ database })];
  for (let round = 0; round < 20; round++) {
    const key = `both-${round}`;
    const answers = await Promise.all([create(left.url, key), create(right.url, key)]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(texts[0]).toBe(texts[1] ?? '');
    expect(await total(left.url, key)).toBe(1);
  }
  await left.stop();
  await right.stop();
});

describe('a bulk in the other format', () => {
  const post = async ({ url }: TestServer, path: string, key: string, type: string, body: string) => {
    const headers = { 'Content-Type': type, 'Idempotency-Key': key };
    const answer = await fetch(`${url}/api/v2/${path}`, { method: 'POST', headers, body });
    return [answer.status, answer.headers.get('Idempotent-Replayed')] as const;
  };
  const [csv, lines] = ['text/csv', 'application/x-ndjson'];

  test('is the same if both are exports of the same records', async () => {
    const server = await startServer({ collections: library });
    await post(server, 'authors', 'author', 'application/json', '{"name":"Borges"}');
    const books = [
      {
        title: '=1+1',
        pages: 328,
        weight: -0,
        price: '9.90',
        tags: ['a b', '"', '1'],
        ratings: [1, -2],
        meta: { a: [1, 'x'] },
      },
      {
        title: '',
        weight: 1e300,
        price: '0',
        state: 'published',
        in_stock: false,
        published_on: '1944-01-01',
        meta: '1',
      },
      { title: "a;'=1\n,", weight: 0.1, price: '1', seen_at: '2026-11-15T10:00:00Z', meta: 'null', tags: [] },
      { title: 'null', price: '1', meta: 1.5 },
    ];
    const body = books.map((book, at) => JSON.stringify({ ...book, isbn: `978000000000${at}`, author: 1 })).join('\n');
    expect(
      await post(server, 'books', 'books', lines, body.replace('"pages":328', '"pages":9007199254740993')),
    ).toEqual([201, null]);
    const exported = async (type: string) =>
      (await fetch(`${server.url}/api/v2/books/export`, { headers: { Accept: type } })).text();
    const [one, other] = [await exported(csv), await exported(lines)];
    for (const id of [1, 2, 3, 4]) await fetch(`${server.url}/api/v2/books/${id}`, { method: 'DELETE' });
    expect(await post(server, 'books', 'export', csv, one)).toEqual([201, null]);
    expect(await post(server, 'books', 'export', lines, other)).toEqual([201, 'true']);
    await server.stop();
  });

  test('has null for an empty cell, and not a field that is left out, which gets its default', async () => {
    const collections = declared({
      notes: { fields: { text: 'text', colour: { type: 'text', optional: true, default: 'red' } } },
    });
    const server = await startServer({ collections });
    const cells = (key: string) => post(server, 'notes', key, csv, 'text,colour\na,\n');
    const json = (key: string, line: string) => post(server, 'notes', key, lines, `${line}\n`);
    expect(await cells('null')).toEqual([201, null]);
    expect(await json('null', '{"text":"a","colour":null}')).toEqual([201, 'true']);
    expect(await json('null', '{"text":"a"}')).toEqual([422, null]);
    expect(await json('absent', '{"text":"a"}')).toEqual([201, null]);
    expect(await cells('absent')).toEqual([422, null]);
    expect(await json('absent', '{"text":"a","colour":null}')).toEqual([422, null]);
    const { data } = (await (await fetch(`${server.url}/api/v2/notes?fields=colour`)).json()) as { data: unknown };
    expect(data).toEqual([{ colour: null }, { colour: 'red' }]);
    await server.stop();
  });
});

describe.each(migratedEngines())('%s', (_, newUrl) => {
  const title = { type: 'text' };
  const note = { type: 'json', optional: true };
  const before = declared({ books: { fields: { title, state: { type: 'text', default: 'draft' }, note } } });
  /** A field is added, a default is another one, and the order is another one. */
  const after = declared({
    books: {
      fields: { note, stars: { type: 'integer', default: 3 }, state: { type: 'text', default: 'new' }, title },
    },
  });
  const [books] = before.filter(({ name }) => name === 'books');

  /** A body of each kind. The last is so large that a thread parses it. */
  const bodies: readonly [type: string, body: string][] = [
    ['application/json', '{"title":"one"}'],
    ['application/x-ndjson', '{"title":"two"}\n{"title":"three","note":{"a":1}}\n'],
    ['text/csv', 'title,note\nfour,\n"five, six","[1, 2]"\n'],
    ['application/json', `{"title":"large","note":["${'x'.repeat(40_000)}",1]}`],
    ['application/x-ndjson', `{"title":"large","note":["${'x'.repeat(40_000)}",1]}\n`],
  ];
  const post = async ({ url }: TestServer, key: string, [type, body]: (typeof bodies)[number]) => {
    const headers = { 'Content-Type': type, 'Idempotency-Key': key };
    const answer = await fetch(`${url}/api/v2/books`, { method: 'POST', headers, body });
    return [answer.status, answer.headers.get('Idempotent-Replayed'), await answer.text()] as const;
  };

  test('a retry gets the first answer, also from a server with a later or an earlier file', async () => {
    const database = await newUrl();
    const answers = new Map<string, string>();
    for (const [round, collections] of [before, after, before].entries()) {
      const server = await startServer({ database, collections });
      try {
        for (const [known, text] of answers) {
          const body = bodies[Number(known.split('-')[1])];
          if (body !== undefined) expect(await post(server, known, body)).toEqual([201, 'true', text]);
        }
        for (const [index, body] of bodies.entries()) {
          const key = `${round}-${index}`;
          const [status, isReplayed, text] = await post(server, key, body);
          expect([status, isReplayed]).toEqual([201, null]);
          answers.set(key, text);
        }
      } finally {
        await server.stop();
      }
    }
  });

  test('another body is refused, also one that differs in a default, in null or deep inside', async () => {
    const server = await startServer({ database: await newUrl(), collections: before });
    try {
      for (const [index, body] of bodies.entries()) expect((await post(server, `a-${index}`, body))[0]).toBe(201);
      const others: readonly string[][] = [
        ['{"title":"other"}', '{"title":"one","state":"draft"}', '{"title":"one","note":null}'],
        ['{"title":"two"}\n', '{"title":"two"}\n{"title":"three","note":{"a":2}}\n'],
        ['title,note\nfour,\n"five, six","[1, 3]"\n', 'title\nfour\n"five, six"\n'],
        [`{"title":"large","note":["${'x'.repeat(40_000)}",2]}`, bodies[3]?.[1].replace('large', 'other') ?? ''],
        [`{"title":"large","note":["${'x'.repeat(40_000)}",2]}\n`, bodies[4]?.[1].replace('large', 'other') ?? ''],
      ];
      for (const [index, [type = '']] of bodies.entries())
        for (const body of others[index] ?? [])
          expect(await post(server, `a-${index}`, [type, body])).toEqual([422, null, expect.any(String)]);
    } finally {
      await server.stop();
    }
  });

  test('a key that an earlier version has stored is accepted with the same body', async () => {
    if (books === undefined) throw new Error('there are no books');
    const server = await startServer({ database: await newUrl(), collections: before });
    // Its digest was that of the records with their defaults.
    const records = ['one', 'two', 'three'].map((name) => `{"title":"${name}","state":"draft","note":null}`);
    const once = (key: string, text: string) => ({
      key,
      digest: new Bun.CryptoHasher('sha256').update(text).digest('hex'),
      former: '-',
      keptMs: 60_000,
    });
    const [one = '', ...lines] = records;
    const operation = { op: 'create', collection: books, json: one } as const;
    await server.store.writes.commit(everybody, { operation, once: once('one', one) });
    const bulk = await server.store.writes.bulk(everybody, books, 'test');
    await bulk.add(lines);
    await bulk.commit(once('many', `application/x-ndjson\n${lines.join('\n')}\n`));
    await bulk.close();
    try {
      const many = ['application/x-ndjson', '{"title":"two"}\n{"title":"three"}\n'] as const;
      const answers = [
        await post(server, 'one', ['application/json', '{"title":"one"}']),
        await post(server, 'many', [...many]),
        await post(server, 'one', ['application/json', '{"title":"two"}']),
        await post(server, 'many', ['application/x-ndjson', '{"title":"two"}\n']),
      ];
      expect(answers.map(([status, isReplayed]) => [status, isReplayed])).toEqual([
        [201, 'true'],
        [201, 'true'],
        [422, null],
        [422, null],
      ]);
    } finally {
      await server.stop();
    }
  });
});
