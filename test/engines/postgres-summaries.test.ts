/** Summaries on PostgreSQL, which cannot be read in slices: however many wait, other requests find a connection. */
import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { migratedDatabase, postgresUrl } from '../postgres/database.ts';
import { declared } from '../support/data/library.ts';
import { defaults } from '../support/servers/engine.ts';
import { startServer } from '../support/servers/server.ts';

const collections = declared({
  books: { singular: 'book', fields: { title: 'text' } },
  authors: { singular: 'author', fields: { name: 'text' } },
});

test.if(postgresUrl !== undefined)(
  'records are read while more summaries wait than there are connections',
  async () => {
    const database = await migratedDatabase();
    const server = await startServer({ database, collections });
    const get = (path: string, signal?: AbortSignal) =>
      fetch(`${server.url}/api/v2/${path}`, signal === undefined ? {} : { signal });
    await fetch(`${server.url}/api/v2/authors`, { method: 'POST', body: '{"name":"a"}' });
    const sql = new SQL({ url: database, max: 1 });
    await sql.unsafe('begin');
    await sql.unsafe('lock table books in access exclusive mode');
    const waiting = () => server.store.admin.figures().readsWaiting;
    const count = defaults.database.connections + 2;
    const summaries = Array.from({ length: count }, async () => (await get('books/summary')).text());
    const leaving = new AbortController();
    const left = get('books/summary', leaving.signal).catch(() => 'left');
    while (waiting() < count + 1) await Bun.sleep(1);
    expect((await get('authors/1')).status).toBe(200);
    // One whose client has disconnected does not wait for the others.
    leaving.abort();
    expect(await left).toBe('left');
    while (waiting() > count) await Bun.sleep(1);
    await sql.unsafe('commit');
    expect(new Set(await Promise.all(summaries))).toEqual(new Set(['{"data":[{"count":0}],"groups":1}']));
    await sql.close();
    await server.stop();
  },
);
