/** Two instances on one PostgreSQL, restarted in turn behind nginx and HAProxy under load: no request fails. */
import { describe, expect, test } from 'bun:test';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { isInstalled, proxies, startProxy } from '../support/servers/network/proxy.ts';
import { type Shelf, startShelf } from '../support/servers/process.ts';

const clients = 16;
/** Between two requests of a client: the load has to meet every moment of a restart, not fill the machine. */
const pauseMs = 100;
/** Each instance once. */
const restarts = 2;
/** Requests that an instance must have answered to be back in rotation. */
const backInRotation = 50;

/** Requests for users that the instance itself has answered. */
async function answered({ url }: Shelf): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { keepalive: false })).text();
  const counts = text.matchAll(/^shelf_http_requests_total\{route="\/api\/users[^"]*",[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Sends requests until it is stopped. Every id is created once, and then read. */
class Load {
  readonly problems: string[] = [];
  readonly created: number[] = [];
  sent = 0;
  #running = true;
  readonly #clients: readonly Promise<void>[];

  constructor(readonly url: string) {
    this.#clients = Array.from({ length: clients }, () => this.#send());
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  async #send(): Promise<void> {
    while (this.#running) {
      const id = 1000 + this.sent++;
      await this.#expect(201, '/api/users', { method: 'POST', body: `{"id":${id},"name":"rolling"}` });
      this.created.push(id);
      await Bun.sleep(pauseMs);
      await this.#expect(200, `/api/users/${id}`);
      await Bun.sleep(pauseMs);
    }
  }

  async #expect(status: number, path: string, init: RequestInit = {}): Promise<void> {
    try {
      const answer = await fetch(this.url + path, init);
      const text = await answer.text();
      if (answer.status !== status) this.problems.push(`${init.method ?? 'GET'} ${path}: ${answer.status} ${text}`);
    } catch (error) {
      this.problems.push(`${init.method ?? 'GET'} ${path}: ${error}`);
    }
  }
}

describe.skipIf(postgresUrl === undefined)('rolling restarts', () => {
  const folder = temporaryFolder();
  for (const name of proxies) {
    if (isInstalled(name)) continue;
    process.stderr.write(`\n!!! SKIPPED: rolling restarts behind ${name}, because it is not installed\n`);
  }
  test('in CI both proxies are there', () => {
    if (process.env.CI) expect(proxies.filter((name) => !isInstalled(name))).toEqual([]);
  });

  test.concurrent.each(proxies.filter(isInstalled))('behind %s no request fails', async (name) => {
    const database = await newDatabase();
    const ports = [freePort(), freePort()] as const;
    const start = (port: number) => {
      const args = ['--database', database, '--port', String(port), '--metrics', 'on', '--log', 'off'];
      // A database that a busy machine slows down is not what is tested.
      const patient = ['--database-timeout', '60s'];
      return startShelf({ args: [...args, ...patient, '--drain', '3s', '--database-connections', '4'] });
    };
    const shelves = [await start(ports[0]), await start(ports[1])];
    const proxy = await startProxy(name, ports, folder);
    const load = new Load(proxy.url);
    for (let round = 0; round < restarts; round++) {
      const place = round % 2;
      expect(await shelves[place]?.stop('SIGTERM')).toBe(0);
      const again = await start(ports[place] ?? 0);
      shelves[place] = again;
      while ((await answered(again)) < backInRotation) await Bun.sleep(20);
    }
    await load.stop();
    await proxy.stop();
    expect(load.problems).toEqual([]);
    const [first] = shelves;
    const list = (await (await fetch(`${first?.url}/api/users`)).json()) as { id: number }[];
    const stored = list.map(({ id }) => id).filter((id) => id >= 1000);
    expect(stored.sort((left, right) => left - right)).toEqual(load.created.sort((left, right) => left - right));
    for (const shelf of shelves) expect(await shelf.stop()).toBe(0);
  });
});
