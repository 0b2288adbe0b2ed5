/** A list that stays current: read once, then changed as its records change. */
import { type Item, itemOf, readItem } from '../changes.ts';
import type { Declarations } from '../declarations.ts';
import { movesOf, searchOfFeed } from '../feed.ts';
import { type Query, searchOf } from '../query.ts';
import { pause } from '../send/abort.ts';
import { ShelfError } from '../send/failure.ts';
import { mayRetry, waitBefore } from '../send/retry.ts';
import { api } from '../send/sender.ts';
import { orderOf } from './order.ts';
import { OrderedRecords, type Stored } from './ordered-records.ts';

export type LiveOptions = {
  readonly where?: object | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A collection. */
type Source = {
  readonly name: string;
  readonly declarations: Declarations;
  all(options: Query & Pick<LiveOptions, 'signal'>): AsyncGenerator<Readonly<Record<string, unknown>>, void, undefined>;
};

type ChangePage = { readonly data: readonly Item[]; readonly last: number; readonly more?: true };

/** Filters that everything matches, and nothing. */
const all = 'where=%7B%7D';
const none = `where=${encodeURIComponent('{"id":{"in":[]}}')}`;

export class Live {
  constructor(
    readonly source: Source,
    readonly options: LiveOptions,
  ) {}

  [Symbol.asyncIterator]() {
    return new Follower(this.source, this.options).lists();
  }

  /** The returned function ends it. */
  subscribe(onList: (list: readonly Stored[]) => void, onError?: (error: unknown) => void): () => void {
    const { signal: outer } = this.options;
    const ended = new AbortController();
    const end = () => ended.abort();
    const { signal } = ended;
    if (outer?.aborted) end();
    outer?.addEventListener('abort', end);
    const follower = new Follower(this.source, { ...this.options, signal });
    (async () => {
      for await (const list of follower.lists()) if (!signal.aborted) onList(list);
    })()
      .catch((error) => {
        if (signal.aborted) return;
        if (onError === undefined) throw error;
        onError(error);
      })
      .finally(() => outer?.removeEventListener('abort', end));
    return end;
  }
}

class Follower {
  readonly #records = new OrderedRecords();
  #filter = all;
  /** The list is as of this change. */
  #position = 0;
  /** The last change of the transaction that was applied last. */
  #end = 0;
  /** The declared fields of the records in the list. */
  #fields: string | undefined;

  constructor(
    readonly source: Source,
    readonly options: LiveOptions,
  ) {}

  async *lists(): AsyncGenerator<readonly Stored[], void, undefined> {
    const { where = {} } = this.options;
    this.#filter = (searchOf({ where }) ?? none) || all;
    for (;;) {
      try {
        yield* this.#follow();
      } catch (error) {
        // Some changes cannot be had any more: from the start.
        if (!(error instanceof ShelfError) || error.status !== 410) throw error;
        await pause(waitBefore(0, undefined), this.options.signal);
      }
    }
  }

  /** The list after one or more commits, each as a whole. Throws a failure with 410 if it has to begin again. */
  async *#follow(): AsyncGenerator<readonly Stored[], void, undefined> {
    const { name, declarations } = this.source;
    const read = (data: string) => readItem(declarations, name, data, this.options);
    const { signal } = this.options;
    let isChanged = false;
    for await (const move of movesOf(declarations.sender, { collection: name, filter: this.#filter, read, signal })) {
      const { item, position, more, isFirst } = move;
      if (item?.type === 'resync' || (isFirst && (await this.#isRenewed()))) {
        await this.#retried(() => this.#readAll(position));
        isChanged = true;
      } else if (item !== undefined && position > this.#position) {
        this.#apply(item as Item);
        isChanged = true;
      }
      this.#position = Math.max(this.#position, position);
      if (!isChanged || more || this.#position < this.#end) continue;
      isChanged = false;
      yield this.#records.list;
    }
  }

  /** Whether the server has another declaration than the one that the list was read with: it may have been restarted. */
  async #isRenewed(): Promise<boolean> {
    const known = await this.#retried(async () => this.source.declarations.renew(this.options));
    return known.get(this.source.name)?.text !== this.#fields;
  }

  /** Reads the list, page by page, and applies what was changed since `position`: some of the pages may have it, and others not. */
  async #readAll(position: number): Promise<void> {
    const { where, sort = [], signal } = this.options;
    const reader = (await this.source.declarations.renew(this.options)).get(this.source.name);
    this.#fields = reader?.text;
    this.#records.clear(orderOf(sort, reader?.types ?? new Map()));
    for await (const row of this.source.all({ where, sort, signal })) this.#records.put(row as Stored);
    this.#position = position;
    for (let isWhole = false; !isWhole; ) {
      const { data, last, more = false } = await this.#pull(this.#position);
      for (const item of data) this.#apply(item);
      this.#position = last;
      isWhole = !more;
    }
    this.#end = 0;
  }

  async #pull(after: number): Promise<ChangePage> {
    const { name, declarations } = this.source;
    const path = `${api}/changes?${searchOfFeed(name, this.#filter)}&after=${after}&limit=1000`;
    const text = await declarations.sender.send({ method: 'GET', path, safety: 'read' }, this.options);
    return declarations.decode(
      text,
      (value, decoder) => {
        const page = value as ChangePage;
        for (const item of page.data) itemOf(item, decoder, name);
        return page;
      },
      this.options,
    );
  }

  #apply({ seq, match, transaction: { first, size } = { first: seq, size: 1 }, record }: Item): void {
    this.#end = first + size - 1;
    if (match === 'left') this.#records.remove(record as Stored);
    else this.#records.put(record as Stored);
  }

  /** As often as the connection, or the server, fails. */
  async #retried<Value>(read: () => Promise<Value>): Promise<Value> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof ShelfError)) throw error;
        // A declaration that converts values ends all cursors.
        if (!mayRetry('read', error) && error.code !== 'invalid_cursor') throw error;
        await pause(waitBefore(attempt, error.retryAfter), this.options.signal);
      }
    }
  }
}
