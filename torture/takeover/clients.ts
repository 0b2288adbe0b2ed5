/** Clients that go on while declarations change and servers are killed. They judge every answer. */
import { type Book, bodyOf, keyOf, other, type Shape, shapeOf } from './shapes.ts';

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

export class Clients {
  /** Addresses of the servers that run. */
  urls: readonly string[] = [];
  /** The key of each acknowledged record, by its id. */
  readonly acknowledged = new Map<number, string>();
  /** The keys of writes without an answer: they may be stored. */
  readonly unknown = new Set<string>();
  readonly complaints = new Set<string>();
  reads = 0;
  /** The longest time that an answer took, in milliseconds. */
  longest = 0;
  #isOver = false;
  #next = 0;

  /** In milliseconds: of each client, between two requests. */
  constructor(readonly pauseMs: number) {}

  async run(writers: number, readers: number): Promise<void> {
    await Promise.all([
      ...Array.from({ length: writers }, () => this.#write()),
      ...Array.from({ length: readers }, () => this.#read()),
    ]);
  }

  end(): void {
    this.#isOver = true;
  }

  async #write(): Promise<void> {
    let shape: Shape = 'old';
    for (; !this.#isOver; await this.#pause()) {
      const number = this.#next++;
      const key = `k${number}`;
      const sent = await this.#ask(number, 'books', bodyOf(shape, key, number));
      if (sent === undefined) this.unknown.add(key);
      else if (sent.status === 201) {
        if (shapeOf(sent.body) !== shape) this.complaints.add(`mixed: a created ${JSON.stringify(sent.body)}`);
        this.acknowledged.set(Number(sent.body.id), key);
      } else if (sent.status === 400) shape = other(shape);
      else if (String(sent.body.type).endsWith('outcome-unknown')) this.unknown.add(key);
      else this.#requireRetry('a write', sent);
    }
  }

  async #read(): Promise<void> {
    for (let round = 0; !this.#isOver; round++, await this.#pause()) {
      const path = round % 2 === 0 ? 'books?limit=20&sort=-id' : `books?limit=100`;
      const found = await this.#ask(round, path);
      if (found === undefined) continue;
      if (found.status !== 200) this.#requireRetry('a read', found);
      else this.#judgeList(found.body.data as Book[]);
    }
  }

  async #pause(): Promise<void> {
    if (this.pauseMs > 0) await Bun.sleep(this.pauseMs);
  }

  #judgeList(books: readonly Book[]): void {
    this.reads++;
    const found = new Set(books.map(shapeOf));
    if (found.size > 1 || found.has(undefined))
      this.complaints.add(`mixed: a list ${JSON.stringify(books.slice(0, 3))}`);
  }

  /** On PostgreSQL an instance that has to follow another one says so. */
  #requireRetry(what: string, { status, body }: Answer): void {
    if (status !== 503) this.complaints.add(`status: ${what} was answered with ${status} ${JSON.stringify(body)}`);
  }

  /** Undefined if there was no answer. */
  async #ask(number: number, path: string, body?: Book): Promise<Answer | undefined> {
    const { urls } = this;
    const url = urls[number % urls.length];
    if (url === undefined) {
      await Bun.sleep(5);
      return { status: 503, body: {} };
    }
    const began = performance.now();
    try {
      const sent = await fetch(`${url}/api/v2/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      });
      const answer = { status: sent.status, body: (await sent.json()) as Answer['body'] };
      this.longest = Math.max(this.longest, performance.now() - began);
      return answer;
    } catch {
      await Bun.sleep(5);
      return undefined;
    }
  }

  /** Compares all records, and the feed, with what was acknowledged. */
  async verify(url: string): Promise<string[]> {
    const complaints = [...this.complaints];
    const stored = new Map<number, string>();
    const told = new Map<number, number>();
    const shapesFound = new Set<Shape | undefined>();
    const page = async (path: string) => (await (await fetch(`${url}/api/v2/${path}`)).json()) as Answer['body'];
    for (let last = 0; ; ) {
      const { data } = (await page(`books?limit=1000&sort=id&id[gt]=${last}`)) as { data: Book[] };
      for (const book of data) {
        stored.set(Number(book.id), keyOf(book));
        shapesFound.add(shapeOf(book));
      }
      if (data.length === 0) break;
      last = Number(data.at(-1)?.id);
    }
    for (let after = 0; ; ) {
      const { data, last } = (await page(`changes?collection=books&limit=1000&after=${after}`)) as {
        data: { type: string; record: Book }[];
        last: number;
      };
      for (const { type, record } of data)
        if (type.endsWith('.created')) told.set(Number(record.id), (told.get(Number(record.id)) ?? 0) + 1);
      if (data.length === 0) break;
      after = last;
    }
    if (shapesFound.size > 1 || shapesFound.has(undefined)) complaints.push('mixed: the stored records');
    const keys = new Set(stored.values());
    if (keys.size !== stored.size) complaints.push('doubled: a record is stored twice');
    for (const [id, key] of this.acknowledged) {
      if (stored.get(id) !== key) complaints.push(`lost: ${key} was acknowledged as ${id}, and is ${stored.get(id)}`);
      if (told.get(id) !== 1) complaints.push(`feed: the record ${id} was told ${told.get(id) ?? 0} times`);
    }
    const sent = new Set([...this.acknowledged.values(), ...this.unknown]);
    for (const key of keys) if (!sent.has(key)) complaints.push(`phantom: ${key} was never sent, or was refused`);
    return complaints;
  }
}
