/** The HTTP client and the assertions for the rows of the suite. */

export type Reply = { readonly status: number; readonly text: string; readonly headers: Headers };

/** A sentence cannot be checked on this server: it is skipped, not failed. */
export class NotObservable extends Error {}

export class Client {
  /** Ids that only this run uses, so that records already on the server do not matter. */
  #nextId = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);

  constructor(readonly base: string) {}

  newId(): number {
    return this.#nextId++;
  }

  get(path: string): Promise<Reply> {
    return this.#send('GET', path);
  }

  delete(path: string): Promise<Reply> {
    return this.#send('DELETE', path);
  }

  /** A string is sent unchanged, any other value as JSON. */
  post(path: string, body: unknown): Promise<Reply> {
    return this.#send('POST', path, typeof body === 'string' ? body : JSON.stringify(body));
  }

  async list(path: string): Promise<Record<string, unknown>[]> {
    const reply = await this.get(path);
    expectStatus(reply, 200);
    const value = parse(reply);
    if (!Array.isArray(value)) throw new Error(`GET ${path} is not a JSON array`);
    return value as Record<string, unknown>[];
  }

  async create(path: string, record: Record<string, unknown>): Promise<void> {
    expectStatus(await this.post(path, record), 201);
  }

  async #send(method: string, path: string, body?: string): Promise<Reply> {
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
      ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

export function expectStatus({ status, text }: Reply, expected: number): void {
  if (status !== expected) throw new Error(`expected ${expected}, got ${status}: ${text.slice(0, 120)}`);
}

export function parse({ text }: Reply): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`not JSON: ${text.slice(0, 120)}`);
  }
}

export function expectJson(reply: Reply, expected: unknown): void {
  const value = parse(reply);
  if (!Bun.deepEquals(value, expected)) {
    throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(value).slice(0, 200)}`);
  }
}

export function expectThat(holds: boolean, complaint: string): void {
  if (!holds) throw new Error(complaint);
}
