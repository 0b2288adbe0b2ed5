/** The methods of one collection, without its types: `api.ts` has those. */
import type { ChangesOptions } from './api.ts';
import { follow } from './changes.ts';
import { createMany, type ManyOptions, type Source } from './create-many.ts';
import type { Declarations } from './declarations.ts';
import { Live, type LiveOptions } from './live/live.ts';
import { type Query, type SummaryQuery, searchOf, summarySearchOf } from './query.ts';
import { invalidArgument } from './send/failure.ts';
import { keyOf } from './send/idempotency-key.ts';
import { api, type CallOptions, type CreateOptions, type Request } from './send/sender.ts';
import { idOf, type Target, versionOf } from './target.ts';
import { encode } from './values/encode.ts';

type Row = Record<string, unknown>;
type Summary = { readonly data: Row[]; readonly groups: number };
type Page = { readonly data: Row[]; readonly next_cursor: string | null; readonly total?: number };

/** The most that a page has: fewer requests for a long list. */
const pageSize = 1000;

/** A request line and its headers have at most as many bytes. */
const maxPath = 16 * 1024;

export class Collection {
  readonly #path: string;

  constructor(
    readonly name: string,
    readonly declarations: Declarations,
  ) {
    this.#path = `${api}/${name}`;
  }

  async list(options: Query & CallOptions = {}): Promise<Page> {
    const search = searchOf(options);
    if (search === undefined) return { data: [], next_cursor: null, ...(options.count ? { total: 0 } : {}) };
    const request = this.#read(search === '' ? this.#path : `${this.#path}?${search}`, 'list');
    const text = await this.#beside(this.declarations.sender.send(request, options), options);
    return this.declarations.decode(
      text,
      (value, decoder) => {
        const page = value as Page;
        decoder.records(this.name, page.data);
        return page;
      },
      options,
    );
  }

  async *all(options: Query & CallOptions = {}): AsyncGenerator<Row, void, undefined> {
    for (let cursor: string | undefined; ; ) {
      const page: Page = await this.list({ ...options, limit: pageSize, cursor });
      yield* page.data;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }

  async count({ where, ...options }: Query & CallOptions = {}): Promise<number> {
    const { total = 0 } = await this.list({ ...options, where, limit: 1, fields: ['id'], count: 'exact' });
    return total;
  }

  async summary(options: SummaryQuery & CallOptions = {}): Promise<Summary> {
    const path = `${this.#path}/summary?${summarySearchOf(options)}`;
    const sent = this.#beside(this.declarations.sender.send(this.#read(path, 'summary'), options), options);
    return this.declarations.decode(
      await sent,
      (value, decoder) => {
        const summary = value as Summary;
        decoder.summary(this.name, summary.data, options.group ?? []);
        return summary;
      },
      options,
    );
  }

  async get(id: number, options: Query & CallOptions = {}): Promise<Row> {
    const { expand } = options;
    const path = expand === undefined ? this.#one(id) : `${this.#one(id)}?${searchOf({ expand })}`;
    const request: Request = { method: 'GET', path, safety: 'read' };
    return this.#record(await this.#beside(this.declarations.sender.send(request, options), options), options);
  }

  async create(draft: object, options: CreateOptions = {}): Promise<Row> {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': keyOf(options.idempotencyKey) };
    const body = encode(draft, this.name);
    return this.#write({ method: 'POST', path: this.#path, safety: 'keyed', headers, body }, options);
  }

  createMany(source: Source, options: ManyOptions = {}): Promise<{ created: number; updated?: number }> {
    return createMany(this.name, this.declarations.sender, source, options);
  }

  async update(target: Target, patch: object, options: CallOptions = {}): Promise<Row> {
    return this.#change('PATCH', 'application/merge-patch+json', target, patch, options);
  }

  async replace(target: Target, draft: object, options: CallOptions = {}): Promise<Row> {
    return this.#change('PUT', 'application/json', target, draft, options);
  }

  async delete(target: Target, options: CallOptions = {}): Promise<void> {
    const request = { path: this.#one(target), headers: ifMatch(target) };
    await this.declarations.sender.send({ method: 'DELETE', safety: 'once', ...request }, options);
  }

  changes(options: ChangesOptions = {}): ReturnType<typeof follow> {
    return follow(this.declarations, this.name, options);
  }

  live(options: LiveOptions = {}): Live {
    return new Live(this, options);
  }

  async #change(method: 'PUT' | 'PATCH', type: string, target: Target, value: object, options: CallOptions) {
    const headers = { 'Content-Type': type, ...ifMatch(target) };
    const body = encode(value, this.name);
    return this.#write({ method, path: this.#one(target), safety: 'once', headers, body }, options);
  }

  /** The declarations come first: no write succeeds whose answer cannot be read. */
  async #write(request: Request, options: CallOptions): Promise<Row> {
    await this.declarations.known(options);
    return this.#record(await this.declarations.sender.send(request, options), options);
  }

  /** A read waits for the declarations at the same time. */
  #beside(sent: Promise<string>, options: CallOptions): Promise<string> {
    const known = this.declarations.known(options);
    return known instanceof Promise ? Promise.all([sent, known]).then(([text]) => text) : sent;
  }

  #record(text: string, options: CallOptions): Row | Promise<Row> {
    return this.declarations.decode(
      text,
      (value, decoder) => {
        decoder.record(this.name, value as Row);
        return value as Row;
      },
      options,
    );
  }

  /** Throws `invalid_argument` if no server takes the path. */
  #read(path: string, what: string): Request {
    if (path.length <= maxPath) return { method: 'GET', path, safety: 'read' };
    throw invalidArgument(
      `The address of this ${what} has ${path.length} characters: a server takes less than ${maxPath}. Send fewer or shorter conditions.`,
    );
  }

  #one(target: Target): string {
    return `${this.#path}/${idOf(target, this.name)}`;
  }
}

function ifMatch(target: Target): Readonly<Record<string, string>> {
  const version = versionOf(target);
  return version === undefined ? {} : { 'If-Match': `"${version}"` };
}
