/** The threads of the SQLite engine: one that cannot start ends the start, and one that ends later is restarted. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { collections } from '../../src/collections/registry.ts';
import { StartError } from '../../src/domain/errors.ts';
import type { SharedMemory } from '../../src/storage/sqlite/memory/reader.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { migrate } from '../support/servers/migrate.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { oneThread, startServer, type TestServer } from '../support/servers/server.ts';
import { type Client, connections, onAllThreads } from '../support/threads/thread-clients.ts';

const folder = temporaryFolder();

/** Its writing thread ends while it starts. */
class EndingWorker extends Worker {
  constructor(file: string | URL) {
    const ending = new Blob(["throw new Error('out of memory')"], { type: 'text/javascript' });
    super(String(file).includes('writer/thread') ? URL.createObjectURL(ending) : file);
  }
}

const starts: readonly [string, (database: string) => Promise<unknown>][] = [
  ['a server', (database) => startServer({ server: oneThread, database })],
  ['a migration', (database) => migrate(database, collections)],
];
test.each(starts)('a thread that cannot start ends %s with one line', async (name, start) => {
  const { Worker: original } = globalThis;
  const path = join(folder, `${name}.db`);
  globalThis.Worker = EndingWorker;
  try {
    const error = await start(`sqlite:${path}`).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(StartError);
    const { message } = error as StartError;
    expect(message).toStartWith(`Cannot serve ${path}, because the writing thread ended (error: out of memory`);
    expect(message).not.toContain('\n');
  } finally {
    globalThis.Worker = original;
  }
});

/** A worker that a test can end together with its next answer, and whose restart a test can refuse. */
class FaultyWorker extends Worker {
  static readonly threads: FaultyWorker[] = [];
  static refuses = false;
  losesAnswer = false;

  constructor(readonly file: string | URL) {
    if (FaultyWorker.refuses) throw new Error('no more threads');
    super(file);
    FaultyWorker.threads.push(this);
  }

  static last(name: string): FaultyWorker {
    const found = FaultyWorker.threads.findLast(({ file }) => String(file).includes(name));
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  /** Batches and their answers have a port of their own: all that passes it is seen here. */
  override postMessage(message: unknown, how?: Bun.Transferable[] | Bun.StructuredSerializeOptions): void {
    if (typeof message !== 'object' || message === null || !('port' in message && typeof message.port === 'object')) {
      super.postMessage(message, Array.isArray(how) ? how : []);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    const served = message.port as MessagePort;
    served.on('message', (batch: string) => port1.postMessage(batch));
    port1.on('message', (answer: string | SharedMemory) => {
      if (typeof answer !== 'string') served.postMessage(answer, [answer.port]);
      else if (this.losesAnswer) this.terminate();
      else served.postMessage(answer);
    });
    super.postMessage({ port: port2 }, [port2]);
  }

  override set onmessage(handler: (event: MessageEvent) => void) {
    super.onmessage = (event) => {
      if (this.losesAnswer) this.terminate();
      else handler(event);
    };
  }
}

describe('a thread that ends later', () => {
  const path = join(folder, 'served.db');
  const { Worker: original } = globalThis;
  let server: TestServer;
  beforeAll(async () => {
    globalThis.Worker = FaultyWorker;
    server = await startServer({ server: oneThread, database: `sqlite:${path}` });
  });
  afterAll(async () => {
    await server.stop();
    globalThis.Worker = original;
  });
  beforeEach(() => {
    FaultyWorker.refuses = false;
  });

  async function ask(path: string, body?: string): Promise<{ status: number; text: string }> {
    const response = await fetch(server.url + path, body === undefined ? {} : { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  }

  async function untilReady(status: number): Promise<void> {
    while ((await ask('/readyz')).status !== status) await Bun.sleep(5);
  }

  const item = (name: string) => `{"id":7,"name":"${name}","price":1}`;

  test('without the writing thread, writes are refused and reads are served', async () => {
    FaultyWorker.refuses = true;
    FaultyWorker.last('writer/thread').terminate();
    await untilReady(503);
    const refused = await ask('/api/v2/items', '{"name":"refused","price":1}');
    expect(refused.status).toBe(503);
    expect(refused.text).toContain('/problems/storage-unavailable');
    expect((await ask('/api/items')).text).not.toContain('refused');
    expect((await ask('/api/v2/items')).status).toBe(200);
    // The memory of the thread may lack its last commit, so reads are from the file.
    using db = new Database(path);
    db.run("update items set name = 'of the file' where seq = 1");
    for (const read of ['items', 'items/1', 'v2/items', 'v2/items/1'])
      expect((await ask(`/api/${read}`)).text).toContain('"of the file"');
    expect((await ask('/healthz')).status).toBe(200);

    FaultyWorker.refuses = false;
    await untilReady(200);
    expect((await ask('/api/items', item('after'))).status).toBe(201);
    expect((await ask('/api/items')).text).toContain('"after"');
  });

  test('a committed write without an answer is outcome_unknown, and visible to every reader', async () => {
    const listening = await Listening.to(`${server.url}/api/v2/events`);
    FaultyWorker.last('writer/thread').losesAnswer = true;
    const unknown = await ask('/api/v2/items', '{"external_id":8,"name":"unknown","price":1}');
    expect(unknown.status).toBe(503);
    expect(unknown.text).toContain('/problems/outcome-unknown');
    expect((await ask('/api/v2/items')).text).toContain('"unknown"');
    expect((await ask('/api/items')).text).toContain('"unknown"');
    expect((await ask('/api/items/8')).text).toContain('"unknown"');
    await listening.until(() => listening.told.length === 1);
    // The failure wakes the listener before the feed's heartbeat does.
    expect(listening.comments).toBe(0);

    await untilReady(200);
    expect((await ask('/api/items', item('next'))).status).toBe(201);
    await listening.until(() => listening.told.length === 2);
    expect(listening.told.map(({ data }) => (JSON.parse(data) as { record: { name: string } }).record.name)).toEqual([
      'unknown',
      'next',
    ]);
    listening.leave();
  });

  test('without the body-parsing thread, large bodies are refused and small ones accepted', async () => {
    const large = `{"id":9,"name":"${'x'.repeat(100_000)}","price":1}`;
    expect((await ask('/api/items', large)).status).toBe(201);
    FaultyWorker.refuses = true;
    FaultyWorker.last('parse-thread').losesAnswer = true;
    // The first ends with the thread, the second finds none.
    for (let n = 0; n < 2; n++) {
      const { status, text } = await ask('/api/items', large);
      expect({ status, nothing: text.includes('nothing was changed') }).toEqual({ status: 503, nothing: true });
    }
    expect((await ask('/readyz')).status).toBe(503);
    expect((await ask('/api/items', item('small'))).status).toBe(201);

    FaultyWorker.refuses = false;
    await untilReady(200);
    expect((await ask('/api/items', large)).status).toBe(201);
  });

  test('without the searching thread, long searches are refused, and listeners miss no change', async () => {
    const listening = await Listening.to(`${server.url}/api/v2/events`);
    await listening.until(() => listening.lastId !== '');
    FaultyWorker.refuses = true;
    FaultyWorker.last('search/thread').losesAnswer = true;
    // The first ends with the thread, the second finds none.
    for (const path of ['/api/v2/items?sort=name', '/api/v2/users?sort=name']) {
      const { status, text } = await ask(path);
      expect({ status, known: text.includes('/problems/not-ready') }).toEqual({ status: 503, known: true });
    }
    expect((await ask('/readyz')).status).toBe(503);
    expect((await ask('/api/items', item('meanwhile'))).status).toBe(201);
    // An index finds these, so the serving thread reads them.
    for (const search of ['', '?external_id=1', '?sort=-id&limit=100'])
      expect((await ask(`/api/v2/items${search}`)).status).toBe(200);

    FaultyWorker.refuses = false;
    await untilReady(200);
    await listening.until(() => listening.told.length === 1);
    // The restart of the thread wakes the listener before the feed's heartbeat does.
    expect(listening.comments).toBe(0);
    expect((await ask('/api/v2/items?name=meanwhile')).text).toContain('"meanwhile"');
    listening.leave();
  });
});

test('writes of several serving threads while the writing thread ends again and again: each is answered, none that was stored is lost', async () => {
  const { Worker: original } = globalThis;
  globalThis.Worker = FaultyWorker;
  FaultyWorker.refuses = false;
  const server = await startServer({ database: `sqlite:${join(folder, 'ended.db')}`, server: { threads: 3 } });
  const clients = connections(server.url, 16);
  const stored: number[] = [];
  let isOver = false;
  const write = async (client: Client, first: number) => {
    for (let id = first; !isOver; id++) {
      const { status, body } = await client.ask('POST', '/api/items', `{"id":${id},"name":"n","price":1}`);
      expect([201, 503]).toContain(status);
      expect(body).not.toContain('Error');
      if (status === 201) stored.push(id);
      // Without a pause the answers of a server that refuses would take all of its time.
      else await Bun.sleep(5);
    }
  };
  const more = async () => {
    const before = stored.length;
    while (stored.length < before + 100) await Bun.sleep(1);
  };
  const writing = clients.map((client, at) => write(client, 1_000_000 * (at + 1)));
  try {
    for (let round = 0; round < 5; round++) {
      await more();
      FaultyWorker.last('writer/thread').terminate();
    }
    await more();
    isOver = true;
    await Promise.all(writing);
    for (const { text } of await onAllThreads(`${server.url}/api/items`)) {
      const listed = new Set(Array.from(text.matchAll(/"id":(\d+)/g), ([, id]) => Number(id)));
      expect(stored.filter((id) => !listed.has(id))).toEqual([]);
    }
  } finally {
    isOver = true;
    for (const client of clients) client.close();
    await server.stop();
    globalThis.Worker = original;
  }
});
