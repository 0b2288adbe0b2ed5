/** Clients that write records with increasing ids, and remember which of them were acknowledged. */
import { Database } from 'bun:sqlite';
import { AnsweringThreads } from './answering-threads.ts';

/** Each writer has its own range of ids, so an id shows which writer sent it, and after which others. */
const range = 1_000_000_000;

export class Writers {
  readonly acknowledged = new Set<number>();
  /** Answers that were neither 201 nor a broken connection, counted by status. */
  readonly refusals = new Map<number, number>();
  /** The latest such answer. */
  refusal = { detail: '', retryAfter: '' as string | null };
  /** Of the servers of the last `write`. */
  readonly threads = new AnsweringThreads();
  readonly #next: number[];

  constructor(readonly count: number) {
    this.#next = Array.from({ length: count }, (_, writer) => writer * range + 2);
  }

  /**
   * Every writer sends one record after the other until the server is gone or `enough` returns true. It uses several
   * servers in turn.
   */
  async write(urls: string | readonly string[], enough: (acknowledged: number) => boolean): Promise<void> {
    this.threads.clear();
    const servers = typeof urls === 'string' ? [urls] : urls;
    await Promise.all(this.#next.map((_, writer) => this.#run(writer, servers, enough)));
  }

  async #run(writer: number, urls: readonly string[], enough: (acknowledged: number) => boolean): Promise<void> {
    while (!enough(this.acknowledged.size)) {
      const id = this.#next[writer] ?? 0;
      this.#next[writer] = id + 1;
      const body = `{"id":${id},"name":"number ${id}","price":${id}.5}`;
      const status = await fetch(`${urls[id % urls.length]}/api/items`, { method: 'POST', body }).then(
        async (response) => {
          this.threads.add(response.headers.get('X-Request-Id'));
          const { detail } = (await response.json()) as { detail?: string };
          if (detail !== undefined) this.refusal = { detail, retryAfter: response.headers.get('Retry-After') };
          return response.status;
        },
        () => undefined,
      );
      if (status === undefined) return;
      if (status === 201) this.acknowledged.add(id);
      else this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1);
    }
  }

  /** Checks the list for lost, doubled, torn and reordered records; returns the violations. */
  async verify(url: string): Promise<string[]> {
    const rows = (await (await fetch(`${url}/api/items`)).json()) as { id: number; name: string; price: number }[];
    const complaints: string[] = [];
    const seen = new Set<number>();
    const last = new Map<number, number>();
    for (const { id, name, price } of rows.slice(1)) {
      if (seen.has(id)) complaints.push(`${id} is in the list twice`);
      if (name !== `number ${id}` || price !== id + 0.5) complaints.push(`${id} is torn: ${name}, ${price}`);
      const writer = Math.floor(id / range);
      if ((last.get(writer) ?? 0) >= id) complaints.push(`${id} comes after ${last.get(writer)}`);
      last.set(writer, id);
      seen.add(id);
    }
    for (const id of this.acknowledged) if (!seen.has(id)) complaints.push(`${id} was acknowledged and is missing`);
    return complaints;
  }
}

/** The result of SQLite's integrity check; no server may have the file open. */
export function integrity(path: string): string {
  const db = new Database(path, { readonly: true });
  const { integrity_check: verdict } = db.prepare<{ integrity_check: string }, []>('pragma integrity_check').get() ?? {
    integrity_check: 'no answer',
  };
  db.close();
  return verdict;
}
