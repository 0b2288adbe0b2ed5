/** Declarations change while several processes share the port: the one that is asked changes them, and the others follow. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { fileOf } from '../support/servers/live.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { type Line, startShelf } from '../support/servers/process.ts';

/** On a new connection, which any of the workers may get. */
const fresh = { Connection: 'close', 'Content-Type': 'application/json' };
/** That they all reach one of two workers has a chance of one in a million. */
const inARow = 20;

const title = { type: 'text', max: 100 };

async function startWorkers(...args: string[]) {
  const path = join(temporaryFolder(), 'shelf.json');
  writeFileSync(path, fileOf({ title }));
  const shelf = await startShelf({
    args: [
      '--database',
      await newDatabase(),
      '--workers',
      '2',
      '--port',
      String(freePort()),
      '--config',
      path,
      ...args,
    ],
  });
  const started = (line: Line) => line.event === 'worker started';
  await shelf.line(started);
  await shelf.line(started);
  return { path, shelf };
}

const tested = test.skipIf(postgresUrl === undefined || process.platform !== 'linux');

tested(
  'all workers serve what one of them has taken over',
  async () => {
    const { shelf } = await startWorkers();
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

tested(
  'with --watch-config each worker says that it serves an edit, and one of them has done the step',
  async () => {
    const { path, shelf } = await startWorkers('--watch-config', 'on');
    const message = (text: string) => (line: Line) => line.message === text;
    writeFileSync(path, fileOf({ title, pages: { type: 'integer', default: 7 } }));
    const served = message('shelf.json was edited, and is served.');
    await shelf.line(served);
    await shelf.line(served);
    const steps = shelf.output().split('add the field; records get 7').length - 1;
    expect(steps).toBe(1);
    writeFileSync(path, fileOf({ title, pages: { type: 'text' } }));
    const kept = (line: Line) => String(line.message).includes('not taken over; what was served before goes on');
    expect(await shelf.line(kept)).toMatchObject({ level: 'warn', message: expect.stringContaining('books.pages') });
    await shelf.line(kept);
    expect(await shelf.stop()).toBe(0);
  },
  30_000,
);
