/** Mixed traffic for `--minutes N`: memory does not grow, nothing leaks, and no request fails. */
import { readdirSync } from 'node:fs';
import { startShelf } from '../test/process.ts';
import { AnsweringThreads } from './answering-threads.ts';
import { onEngines } from './engines.ts';
import { megabytes } from './memory.ts';
import type { Run, Torture } from './torture.ts';

/** With these pauses, a load that a laptop serves together with its database and without being saturated. */
const clients = 16;
const pauseMs = 40;
/** The share of the time that counts as warm-up. */
const warmUp = 1 / 3;
const samples = 300;
const maxGrowth = 1.05;

type Item = { readonly id: number; readonly version: number };

/** One client: sends random requests and reports unexpected answers. */
class Client {
  readonly #mine: Item[] = [];
  requests = 0;

  constructor(
    readonly url: string,
    readonly threads: AnsweringThreads,
    readonly complain: (complaint: string) => void,
  ) {}

  async step(): Promise<void> {
    const dice = Math.random() * 100;
    if (dice < 45) await this.#ask('GET', '/api/items/1', 200);
    else if (dice < 60)
      await this.#ask('GET', `/api/v2/items?sort=-price&limit=20&price[gte]=${Math.floor(dice)}`, 200);
    else if (dice < 65) await this.#ask('GET', '/api/v2/changes?after=0&limit=50', 200);
    else if (dice < 67) await this.#ask('GET', '/api/v2/items?name[contains]=7', 200, { Accept: 'text/csv' });
    else if (dice < 69) await this.#listen();
    else if (dice < 71) await this.#ask('GET', '/api/items', 200, { 'Accept-Encoding': 'gzip' });
    else if (dice < 73) await this.#ask('POST', '/api/items', 400, {}, '{"id":"x"}');
    else if (dice < 74) await this.#ask('GET', '/metrics', 200);
    else if (dice < 75) await this.#addMany();
    else if (dice < 84) await this.#add();
    else if (dice < 92) await this.#change();
    else await this.#remove();
  }

  async #ask(
    method: string,
    path: string,
    expected: number,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<string> {
    this.requests++;
    const answer = await fetch(this.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    this.threads.add(answer.headers.get('X-Request-Id'));
    if (answer.status !== expected)
      this.complain(`${method} ${path}: expected ${expected}, got ${answer.status}: ${text.slice(0, 200)}`);
    return text;
  }

  async #add(): Promise<void> {
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const body = `{"name":"Soaked ${this.requests}","price":${this.requests % 100}}`;
    const text = await this.#ask('POST', '/api/v2/items', 201, key, body);
    if (Math.random() < 0.3) {
      const again = await this.#ask('POST', '/api/v2/items', 201, key, body);
      if (again !== text) this.complain('a request repeated with its Idempotency-Key got a different answer');
    }
    this.#mine.push(JSON.parse(text) as Item);
  }

  async #addMany(): Promise<void> {
    const lines = Array.from({ length: 20 }, (_, n) => `{"name":"Many ${n}","price":${n}}`).join('\n');
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const { first_id } = JSON.parse(await this.#ask('POST', '/api/v2/items', 201, headers, lines)) as {
      first_id: number;
    };
    for (let n = 0; n < 20; n++) this.#mine.push({ id: first_id + n, version: 1 });
  }

  async #change(): Promise<void> {
    const item = this.#mine.pop();
    if (item === undefined) return;
    const headers = { 'Content-Type': 'application/json', 'If-Match': `"${item.version}"` };
    const body = `{"price":${this.requests % 50}}`;
    this.#mine.push(JSON.parse(await this.#ask('PATCH', `/api/v2/items/${item.id}`, 200, headers, body)) as Item);
  }

  /** Deletes about as many records as the other steps add. */
  async #remove(): Promise<void> {
    for (let n = 0; n < 8 && this.#mine.length > 20; n++) {
      await this.#ask('DELETE', `/api/v2/items/${this.#mine.shift()?.id}`, 204);
    }
  }

  async #listen(): Promise<void> {
    this.requests++;
    const leaving = new AbortController();
    const answer = await fetch(`${this.url}/api/v2/events?after=1`, { signal: leaving.signal });
    const { done } = (await answer.body?.getReader().read()) ?? { done: true };
    if (done) this.complain('the live feed sends nothing');
    leaving.abort();
  }
}

const median = (values: readonly number[]) => [...values].sort((left, right) => left - right)[values.length >> 1] ?? 0;

async function soakOne(name: string, args: readonly string[], minutes: number, { full, say, threads }: Run) {
  const complaints = new Set<string>();
  const shelf = await startShelf({ args: [...args, '--log', 'off', '--metrics', 'on', '--keep-alive', '5s'] });
  const files = () => readdirSync(`/proc/${shelf.pid}/fd`).length;
  try {
    await fetch(`${shelf.url}/api/v2/items`);
    const filesBefore = files();
    const answering = new AnsweringThreads();
    const all = Array.from({ length: clients }, () => new Client(shelf.url, answering, (one) => complaints.add(one)));
    const end = performance.now() + minutes * 60_000;
    const working = all.map(async (client) => {
      while (performance.now() < end) {
        await client.step();
        await Bun.sleep(pauseMs);
      }
    });
    const sizes: number[] = [];
    for (let n = 0; n < samples; n++) {
      await Bun.sleep((minutes * 60_000) / samples);
      sizes.push(megabytes(shelf.pid));
      if (full && n % 50 === 49)
        say(`${name}: ${Math.round(((n + 1) / samples) * minutes)} min, ${sizes.at(-1)?.toFixed(0)} MB`);
    }
    await Promise.all(working);
    for (const complaint of answering.complaints(name === 'sqlite' ? threads : 1)) complaints.add(complaint);
    const requests = all.reduce((sum, client) => sum + client.requests, 0);

    // The clients keep their connections for reuse; the server closes each after five idle seconds.
    let left = files();
    for (let n = 0; n < 300 && left > filesBefore + 5; n++) {
      await Bun.sleep(250);
      left = files();
    }
    if (left > filesBefore + 5) complaints.add(`open files: ${filesBefore} before, ${left} after`);
    const text = await (await fetch(`${shelf.url}/metrics`)).text();
    const figure = (wanted: string) => Number(new RegExp(`^${wanted} (\\S+)$`, 'm').exec(text)?.[1] ?? -1);
    for (const gauge of ['shelf_held_bytes', 'shelf_listeners', 'shelf_writes_waiting', 'shelf_reads_waiting']) {
      if (figure(gauge) > 0) complaints.add(`${gauge} is ${figure(gauge)} without traffic, expected 0`);
    }
    const settled = sizes.slice(Math.floor(samples * warmUp));
    const third = Math.floor(settled.length / 3);
    const [first, last] = [median(settled.slice(0, third)), median(settled.slice(-third))];
    // A short run consists of warm-up only.
    if (full && last > first * maxGrowth)
      complaints.add(`memory grew from ${first.toFixed(0)} to ${last.toFixed(0)} MB`);
    if ((await shelf.stop()) !== 0) complaints.add('the server did not stop cleanly');
    say(`${name}: ${requests} requests, ${first.toFixed(0)} MB after the warm-up, ${last.toFixed(0)} MB at the end`);
    return {
      complaints: [...complaints].map((one) => `${name}: ${one}`),
      figures: {
        [`${name} requests`]: requests,
        [`${name} MB after the warm-up`]: Math.round(first),
        [`${name} MB at the end`]: Math.round(last),
        [`${name} files before`]: filesBefore,
        [`${name} files after`]: left,
      },
    };
  } finally {
    await shelf.stop('SIGKILL');
  }
}

export const soak: Torture = (run) => {
  const minutes = run.full ? run.minutes : 0.05;
  // At the same time, because no speed is measured.
  return onEngines(run, (engines) => Promise.all(engines.map(({ name, args }) => soakOne(name, args, minutes, run))));
};
