/** A client of the soak: random requests of every kind. */
import type { AnsweringThreads } from '../support/answering-threads.ts';

type Item = { readonly id: number; readonly version: number };

/** Sends one request after the other, and reports unexpected answers. */
export class Client {
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
