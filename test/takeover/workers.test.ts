/** Declarations change while several processes share the port: the one that is asked changes them, and the others follow. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { freePort } from '../support/servers/free-port.ts';
import { fileOf } from '../support/servers/live.ts';
import { type Line, startShelf } from '../support/servers/process.ts';

/** On a new connection, which any of the workers may get. */
const fresh = { Connection: 'close', 'Content-Type': 'application/json' };
/** That they all reach one of two workers has a chance of one in a million. */
const inARow = 20;

test.skipIf(postgresUrl === undefined || process.platform !== 'linux')(
  'all workers serve what one of them has taken over',
  async () => {
    const path = join(temporaryFolder(), 'shelf.json');
    const title = { type: 'text', max: 100 };
    writeFileSync(path, fileOf({ title }));
    const shelf = await startShelf({
      args: ['--database', await newDatabase(), '--workers', '2', '--port', String(freePort()), '--config', path],
    });
    const started = (line: Line) => line.event === 'worker started';
    await shelf.line(started);
    await shelf.line(started);
    const books = `${shelf.url}/api/v2/books`;
    const added = await fetch(books, { method: 'POST', headers: fresh, body: '{"title":"a"}' });
    expect(added.status).toBe(201);

    const settings = `${shelf.url}/api/v2/settings`;
    const { headers } = await fetch(settings, { headers: fresh });
    const text = fileOf({ title, pages: { type: 'integer', default: 7 } });
    const match = { ...fresh, 'If-Match': headers.get('etag') ?? '' };
    const changed = await fetch(settings, { method: 'PUT', headers: match, body: JSON.stringify({ text }) });
    expect(changed.status).toBe(200);
    for (let seen = 0; seen < inARow; ) {
      const answer = await fetch(books, { headers: fresh });
      expect(answer.status).toBe(200);
      const { data } = (await answer.json()) as { data: { pages?: number }[] };
      // A worker that has not followed yet serves the record as it was.
      expect([undefined, 7]).toContain(data[0]?.pages);
      seen = data[0]?.pages === 7 ? seen + 1 : 0;
    }
    expect(await shelf.stop()).toBe(0);
  },
  30_000,
);
