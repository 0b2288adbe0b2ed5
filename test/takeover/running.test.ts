/** Declarations change under load: no answer mixes two of them, no acknowledged write is lost, and no request fails. */
import { afterAll, describe, expect, test } from 'bun:test';
import { renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { SQL } from 'bun';
import type { Entry } from '../../src/http/observe/log-entry.ts';
import { migrationLock } from '../../src/storage/postgres/connect/locks.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { sharedEngines } from '../support/servers/engines.ts';
import { fileOf, type Json, type Live, startLive } from '../support/servers/live.ts';
import { runShelf } from '../support/servers/process.ts';

const title = { type: 'text', max: 100 };
/** Each has one more field than the one before. */
const fieldsOf = (count: number) =>
  Object.fromEntries([
    ['title', title],
    ...Array.from({ length: count }, (_, index) => [`f${index}`, { type: 'integer', default: index }]),
  ]);
const withFields = (count: number) => fileOf(fieldsOf(count));
const shapeOf = (record: Json) => Object.keys(record).filter((key) => /^f\d/.test(key)).length;

const folder = temporaryFolder();
let made = 0;
const engines: readonly (readonly [name: string, url: () => string | Promise<string>, threads: number])[] = [
  ['sqlite, 2 threads', () => `sqlite:${join(folder, `${made++}.db`)}`, 2],
  ...sharedEngines.map(([name, url]) => [name, url, 1] as const),
];

describe.each(engines)('%s', (_, newUrl, threads) => {
  test('clients go on through takeovers', async () => {
    const entries: Entry[] = [];
    const live = await startLive({
      ...{ text: withFields(0), database: await newUrl(), server: { threads } },
      logTo: (entry) => entries.push(entry),
    });
    /** Acknowledged, over all clients. */
    let least = 0;
    let isOver = false;
    const added: number[] = [];
    const wrong: unknown[] = [];

    async function client(number: number): Promise<void> {
      for (let round = 0; !isOver; round++) {
        const known = least;
        const created = await live.ask('books', { title: `${number}.${round}` });
        const list = await live.ask('books?limit=50');
        const shapes = [created.body, ...((list.body.data as Json[] | undefined) ?? [])].map(shapeOf);
        if (created.status !== 201 || list.status !== 200) wrong.push([created, list.status]);
        else added.push(Number(created.body.id));
        // One answer has one shape, and none is older than what was acknowledged before it was asked for.
        if (new Set(shapes.slice(1)).size > 1 || Math.min(...shapes) < known) wrong.push({ known, shapes });
      }
    }

    const clients = Array.from({ length: 6 }, (_, number) => client(number));
    for (let count = 1; count <= 4; count++) {
      const before = added.length;
      while (added.length < before + 10 && wrong.length === 0) await Bun.sleep(1);
      expect(await live.put(withFields(count))).toMatchObject({ status: 200 });
      least = count;
    }
    isOver = true;
    await Promise.all(clients);
    expect(wrong).toEqual([]);
    const all = await live.ask('books?limit=1000&count=exact');
    expect(all.body.total).toBe(added.length);
    expect(new Set((all.body.data as Json[]).map(shapeOf))).toEqual(new Set([4]));
    expect(entries.filter(({ level }) => level === 'error')).toEqual([]);
    const steps = entries.flatMap((entry) => (entry.event === 'storage' ? [entry.message] : []));
    expect(steps).toContain('books.f3: add the field; records get 3');
    await live.stop();
  }, 60_000);
});

/** Reads a stream of events until it ends. */
async function eventsUntilEnd(url: string, lastId?: string): Promise<string[]> {
  const answer = await fetch(url, lastId === undefined ? {} : { headers: { 'Last-Event-ID': lastId } });
  const text = await answer.text();
  return text.split('\n').flatMap((line) => /^event: (.*)/.exec(line)?.[1] ?? []);
}

describe('one server', () => {
  let live: Live;
  const start = async (options = {}) => {
    live = await startLive({ text: withFields(0), server: { threads: 1 }, ...options });
    return live;
  };
  afterAll(() => live.stop());

  test('a live answer ends whole, and its client resumes without a gap', async () => {
    await start();
    const events = `${live.url}/api/v2/events?collection=books`;
    const first = eventsUntilEnd(`${events}&after=0`);
    await live.ask('books', { title: 'a' });
    while ((await live.ask('books')).body.data === undefined) await Bun.sleep(1);
    expect((await live.put(withFields(1))).status).toBe(200);
    const seen = (await first).filter((one) => one === 'book.created');
    await live.ask('books', { title: 'b' });
    const second = eventsUntilEnd(`${events}&after=${seen.length}`);
    expect((await live.put(withFields(2))).status).toBe(200);
    const later = (await second).filter((one) => one === 'book.created');
    expect(seen.length + later.length).toBeLessThanOrEqual(2);
    const { data } = (await live.ask('changes?collection=books')).body as { data: Json[] };
    expect(data).toHaveLength(2);
  });

  test('a body that is still arriving is stored by the declarations of its request, and then they change', async () => {
    const { hostname, port } = new URL(live.url);
    const body = JSON.stringify({ title: 'slow' });
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    socket.write(`POST /api/v2/books HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${body.length}\r\n\r\n{`);
    while (!(await live.ask('figures')).status) await Bun.sleep(1);
    const changing = live.put(withFields(3));
    await Bun.sleep(50);
    expect(answer).toBe('');
    socket.write(body.slice(1));
    expect((await changing).status).toBe(200);
    expect(answer).toContain('201 Created');
    expect(answer).not.toContain('f2');
    socket.end();
    expect((await live.records()).at(-1)).toMatchObject({ title: 'slow', f2: 2 });
  });

  test('metrics and health go on, without a metric twice', async () => {
    const metrics = await (await fetch(`${live.url}/metrics`)).text();
    const heads = metrics.split('\n').filter((line) => line.startsWith('# TYPE'));
    expect(new Set(heads).size).toBe(heads.length);
    expect((await fetch(`${live.url}/readyz`)).status).toBe(200);
  });
});

/** Resolves with the next entry of the log about the file, or about a step. */
function fileLog() {
  const messages: string[] = [];
  const logTo = (entry: Entry) => {
    if (entry.event === 'settings' || entry.event === 'storage') messages.push(`${entry.level} ${entry.message}`);
  };
  async function next(): Promise<string> {
    while (messages.length === 0) await Bun.sleep(5);
    return messages.shift() ?? '';
  }
  return { logTo, next, messages };
}

/** As editors do. */
function edit({ path }: Live, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

test.each(engines)(
  'with --watch-config an edit by hand is taken over, or the log says why not: %s',
  async (_, newUrl, threads) => {
    const { logTo, next, messages } = fileLog();
    const started = { text: withFields(1), database: await newUrl(), server: { watchConfig: true, threads }, logTo };
    const live = await startLive(started);
    messages.length = 0;
    await live.ask('books', { title: 'a' });
    edit(live, withFields(2));
    expect(await next()).toBe('info books.f1: add the field; records get 1');
    expect(await next()).toBe('info shelf.json was edited, and is served.');
    expect(await live.records()).toMatchObject([{ f0: 0, f1: 1 }]);

    const kept = 'warn shelf.json was edited, and not taken over; what was served before goes on.';
    writeFileSync(live.path, withFields(3).slice(0, 60));
    expect(await next()).toStartWith(`${kept} line 1: `);
    edit(live, withFields(3).replace('integer', 'intger'));
    expect(await next()).toContain('did you mean "integer"');
    edit(live, fileOf({ title, f0: { type: 'integer', default: 0 }, g1: { type: 'integer', default: 7 } }));
    const renamed = await next();
    expect(renamed).toContain('not done  books.f1: remove the field, with its values');
    expect(renamed).toContain('If books.f1 is called g1 now, declare "was": "f1" there');
    edit(live, withFields(2).replace('"books"', '"volumes"'));
    expect(await next()).toContain('If books is called volumes now, declare "was": "books" there');
    expect((await live.settings()).body).toMatchObject({ is_served: false });
    expect(await live.records()).toMatchObject([{ f0: 0, f1: 1 }]);

    edit(live, withFields(3));
    expect(await next()).toBe('info books.f2: add the field; records get 2');
    expect(await next()).toBe('info shelf.json was edited, and is served.');
    expect(await live.records()).toMatchObject([{ f2: 2 }]);
    expect(messages).toEqual([]);
    await live.stop();
  },
);

describe.each(sharedEngines)('several instances on %s', (_, newUrl) => {
  test('one whose declarations fit no more follows its file, if its steps have been done', async () => {
    const database = await newUrl();
    const live = await startLive({ text: withFields(1), database });
    await live.ask('books', { title: 'a' });
    edit(live, fileOf({ title, g0: { type: 'integer', default: 0, was: 'f0' } }));
    const migrated = await runShelf({ args: ['migrate', '--config', live.path, '--database', database] });
    expect(migrated).toMatchObject({ code: 0 });
    while (!(await live.settings()).body.is_served) await Bun.sleep(5);
    expect(await live.records()).toMatchObject([{ title: 'a', g0: 0 }]);
    await live.stop();
  }, 30_000);

  test('a database that does not answer in time is 503, and nothing is changed', async () => {
    const database = await newUrl();
    const storage = { timeout: 500, wait: 0 };
    const live = await startLive({ text: withFields(1), database, storage });
    const other = new SQL({ url: database, max: 1 });
    await other`select pg_advisory_lock(${migrationLock})`;
    const refused = await live.put(withFields(2));
    expect(refused).toMatchObject({ status: 503, body: { type: '/problems/storage-unavailable' } });
    expect(refused.body.detail).toBe(
      'The database did not answer in time, so nothing was changed: retry when it does.',
    );
    expect(live.onDisk()).toBe(withFields(1));
    await other.close();
    expect((await live.put(withFields(2))).status).toBe(200);
    await live.stop();
  }, 30_000);

  test('all with the file follow the one that changed it, also through a rename', async () => {
    const database = await newUrl();
    const one = await startLive({ text: withFields(1), database });
    const other = await startLive({ path: one.path, database });
    await one.ask('books', { title: 'a' });
    const renamed = fileOf({ title, g0: { type: 'integer', default: 0, was: 'f0' } });
    expect((await one.put(renamed)).status).toBe(200);
    for (let served = false; !served; ) {
      const { status, body } = await other.ask('books');
      // The old declarations do not fit any more, and no answer mixes them with the new ones.
      if (status === 200) expect(body.data).toMatchObject([{ title: 'a' }]);
      served = status === 200 && 'g0' in ((body.data as Json[])[0] ?? {});
    }
    while (!(await other.settings()).body.is_served) await Bun.sleep(5);
    expect((await other.settings()).body.text).toBe(renamed);
    expect((await other.put(withFields(2), ['drop:books.g0'])).status).toBe(200);
    while (!(await one.settings()).body.is_served) await Bun.sleep(5);
    expect(await one.records()).toMatchObject([{ f0: 0, f1: 1 }]);
    await Promise.all([one.stop(), other.stop()]);
  }, 30_000);
});
