/** What one client can take from the others: an attacker at 127.0.0.2 and a victim at 127.0.0.1. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { parseRanges } from '../../src/http/access/client-address.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { openRaw, type RawClient } from '../support/servers/network/socket.ts';
import { oneThread, startServer, type TestServer } from '../support/servers/server.ts';

const attacker = '127.0.0.2';
const victim = '127.0.0.1';
const proxy = '127.0.0.3';
const unixSocket = join(temporaryFolder(), 'shelf.sock');

/** The thread that parses large bodies. While it is stopped, its answers wait; `parsed` has the names of the bodies that it got. */
class StoppedParser extends Worker {
  static parsed: string[] = [];
  static #stopped = false;
  static #held: (() => void)[] = [];

  constructor(readonly file: string | URL) {
    super(file);
  }

  static stop(): void {
    StoppedParser.parsed = [];
    StoppedParser.#stopped = true;
  }

  static goOn(): void {
    StoppedParser.#stopped = false;
    for (const deliver of StoppedParser.#held.splice(0)) deliver();
  }

  get #isParser(): boolean {
    return String(this.file).includes('parse-thread');
  }

  override postMessage(message: unknown, how?: Bun.Transferable[] | Bun.StructuredSerializeOptions): void {
    if (this.#isParser && typeof message === 'object' && message !== null && 'pieces' in message) {
      const text = Buffer.concat(message.pieces as Uint8Array[]).toString('latin1');
      StoppedParser.parsed.push(/"name":"([^"]*)"/.exec(text)?.[1] ?? '');
    }
    super.postMessage(message, Array.isArray(how) ? how : []);
  }

  override set onmessage(handler: (event: MessageEvent) => void) {
    super.onmessage = (event) => {
      if (this.#isParser && StoppedParser.#stopped) StoppedParser.#held.push(() => handler(event));
      else handler(event);
    };
  }
}

const { Worker: original } = globalThis;
let server: TestServer;
beforeAll(async () => {
  globalThis.Worker = StoppedParser;
  server = await startServer({
    server: { ...oneThread, listen: { value: unixSocket } },
    limits: { maxConnections: 60, maxListeners: 8 },
    access: { trustedProxy: { value: parseRanges(proxy) } },
    log: { metrics: true },
  });
});
afterAll(async () => {
  await server.stop();
  globalThis.Worker = original;
});

const clients: RawClient[] = [];
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  // The connection of this scrape is one.
  while ((await gauge('shelf_connections')) > 1) await Bun.sleep(1);
});

function open(address: string, text: string): RawClient {
  const client = openRaw(server.url, text, address);
  clients.push(client);
  return client;
}

/** The statuses of answers to requests that are sent at once, each on a connection of its own; 0 for one that was closed. */
async function statuses(count: number, address: string, path: string): Promise<number[]> {
  const opened = Array.from({ length: count }, () => open(address, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
  await Promise.all(opened.map((client) => client.until(/\r\n\r\n/)));
  return opened.map(({ received }) => Number(received().slice(9, 12)));
}

const countOf = (all: readonly number[], status: number) => all.filter((one) => one === status).length;

async function gauge(name: string): Promise<number> {
  const client = openRaw(server.url, 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', proxy);
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(await client.closed)?.[1]);
}

test('one address gets three quarters of the connections', async () => {
  expect(countOf(await statuses(61, attacker, '/api/items/1'), 200)).toBe(45);
  const refused = open(attacker, 'GET /api/items/1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await refused.until(/\}$/);
  expect(refused.received()).toContain('too many from this address: close some');
  expect(await statuses(5, victim, '/api/items/1')).toEqual([200, 200, 200, 200, 200]);
});

test('a trusted proxy gets all connections', async () => {
  expect(countOf(await statuses(60, proxy, '/api/items/1'), 200)).toBe(60);
});

test('a Unix socket gets all connections and all places for listeners', async () => {
  expect(countOf(await statuses(60, unixSocket, '/api/items/1'), 200)).toBe(60);
  for (const { socket } of clients.splice(0)) socket.destroy();
  while ((await gauge('shelf_connections')) > 1) await Bun.sleep(1);
  expect(countOf(await statuses(10, unixSocket, '/api/v2/events'), 200)).toBe(8);
});

test('one client gets three quarters of the places for listeners', async () => {
  expect(countOf(await statuses(10, attacker, '/api/v2/events'), 200)).toBe(6);
  const refused = open(attacker, 'GET /api/v2/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await refused.until(/\}$/);
  expect(refused.received()).toContain('\r\nRetry-After: 5\r\n');
  expect(refused.received()).toContain('too many of this client: close some');
  expect(await statuses(2, victim, '/api/v2/events')).toEqual([200, 200]);
});

const large = (name: string) => {
  const body = `{"id":1,"name":"${name}","price":1,"rest":"${'x'.repeat(60_000)}"}`;
  return `POST /api/items HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
/** The bodies of so many requests have arrived. The scrape is one more. */
async function underWay(count: number): Promise<void> {
  while ((await gauge('shelf_http_requests_under_way')) !== count + 1) await Bun.sleep(1);
}

test('clients take turns with large bodies', async () => {
  StoppedParser.stop();
  const many = Array.from({ length: 30 }, () => open(attacker, large('attacker')));
  await underWay(many.length);
  const one = open(victim, large('victim'));
  await underWay(many.length + 1);
  StoppedParser.goOn();
  await Promise.all([one, ...many].map((client) => client.until(/HTTP\/1\.1 201/)));
  expect(StoppedParser.parsed).toHaveLength(31);
  // Behind the body that was parsed when it arrived, and at most one more.
  expect(StoppedParser.parsed.indexOf('victim')).toBeLessThanOrEqual(2);
});

test('large bodies of a client that has left are not parsed', async () => {
  StoppedParser.stop();
  const many = Array.from({ length: 5 }, () => open(attacker, large('attacker')));
  await underWay(5);
  for (const { socket } of many) socket.resetAndDestroy();
  // The one that is being parsed is under way until the thread answers.
  await underWay(1);
  const one = open(victim, large('victim'));
  await underWay(2);
  StoppedParser.goOn();
  await one.until(/HTTP\/1\.1 201/);
  expect(StoppedParser.parsed).toEqual(['attacker', 'victim']);
});
