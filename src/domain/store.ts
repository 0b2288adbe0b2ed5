/** What every engine promises. The HTTP floor knows this and no engine. */

import type { ApiKeys } from './api-keys.ts';
import type { Bytes } from './bytes.ts';
import type { Collection } from './collection.ts';
import type { History } from './history.ts';
import type { Precondition } from './precondition.ts';
import type { Filter, Order, Position } from './query.ts';
import type { Stored } from './record.ts';
import type { Soon } from './soon.ts';
import type { Tickets } from './tickets.ts';

/** A whole collection as a JSON array, as it stood at one moment. The same object as long as nothing has changed. */
export type Listing = {
  /** Differs between any two lists that differ; undefined where the engine cannot tell. */
  readonly tag: string | undefined;
  /** All bytes together; undefined where they are not known before they are read. */
  readonly size: number | undefined;
  /** In order, and read once each time it is called; a reader that stops early must return the iterator. `client` is who reads. */
  parts(client: string): AsyncIterator<Bytes> | Iterator<Bytes>;
};

export type Added = { readonly seq: number; readonly at: string };

/** Who waits for an answer: clients take turns, and work for one that has left ends. */
export type Asker = {
  readonly client: string;
  /** Aborted with a failure when nobody waits any more; undefined for one who always does. */
  readonly signal: AbortSignal | undefined;
};

/** What a page is asked for with. */
export type Page = {
  readonly filters: readonly Filter[];
  readonly sort: readonly Order[];
  readonly after: Position | undefined;
  readonly limit: number;
};

/** `more` where there are others behind them. */
export type Paged = { readonly records: readonly Stored[]; readonly more: boolean };

/** One committed change; of a deletion the record is what it last was. */
export type Change = {
  readonly seq: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly at: string;
  readonly collection: Collection;
  readonly record: Stored;
};
/** `more` where there are others behind them; the history is as it stood when they were read, or later. */
export type Changes = { readonly changes: readonly Change[]; readonly more: boolean; readonly history: History };

/** A key that a client chose, a digest of what it sent with it, and for how many milliseconds such keys count. */
export type Once = { readonly key: string; readonly digest: string; readonly keptMs: number };
/** What was added under that key, as it was then. */
export type Repeated = { readonly repeated: Stored };

/** How many records were added together, and the numbers of the first and the last of them. */
export type Bulked = { readonly created: number; readonly first: number; readonly last: number };

/** Records on their way in that are added all at once, or not at all. */
export type Bulk = {
  /** Sets records aside, encoded as for `append`; resolves when there is room for more. */
  add(records: readonly string[]): Promise<void>;
  /** Adds what was set aside, once where there is a key; other writes wait for it. */
  commit(once: Once | undefined): Promise<Bulked | { readonly repeated: Bulked } | 'mismatch'>;
  /** Lets go of what was set aside. */
  close(): Promise<void>;
};

/** What an operator wants to know of a store. */
export type Figures = {
  readonly writesWaiting: number;
  readonly readsWaiting: number;
  readonly cacheBytes: number;
  /** SQLite's log on the disk, beside the database. */
  readonly walBytes: number;
  /** Connections to a database server, by what they are for. */
  readonly pools: Readonly<Record<string, { readonly used: number; readonly most: number }>>;
};

/** Why a change was not made: there is no such record, or its precondition does not hold. */
export type Unchanged = 'missing' | 'conflict';

/** A record that was encoded without its id, with its number for one. */
export function withId(json: string, seq: number): string {
  return json.startsWith('{"id":') ? json : `{"id":${seq},${json.slice(1)}`;
}

export interface Store {
  /** Who may do what. */
  readonly apiKeys: ApiKeys;

  /** Of callers who are about to listen. */
  readonly tickets: Tickets;

  /** Resolves when requests can be served; rejects with a StartError when they never will be. */
  readonly ready: Promise<void>;

  /** This start has made the database; known once `ready` has resolved. */
  readonly isNew: boolean;

  /** Every record in insertion order; it has all that was acknowledged before the call. */
  list(collection: Collection): Soon<Listing>;

  /** The strong entity tag of a record's bytes, quoted; a precondition of `remove` names such tags. */
  tagOf(record: Bytes): string;

  /** The earliest record with this id, encoded. */
  find(collection: Collection, id: bigint): Soon<Bytes | undefined>;

  /**
   * Adds a record at the end; `json` is the record encoded, and has no id where that is to be the record's number.
   * Resolves only when it would survive a power cut; rejects with `storage_unavailable` or `overloaded` when nothing was
   * kept, and with `outcome_unknown` when nobody can tell. So do all other changes.
   */
  append(collection: Collection, json: string, id: bigint | undefined): Promise<Added>;

  /**
   * Adds a record unless that was done before under the same key, and notes the key with it: however often it is tried,
   * there is one record.
   */
  appendOnce(
    collection: Collection,
    json: string,
    id: bigint | undefined,
    once: Once,
  ): Promise<Added | Repeated | 'mismatch'>;

  /** Opens a place for records that belong together, however many; rejects with `overloaded` where too many are open. */
  bulk(collection: Collection, client: string): Promise<Bulk>;

  /** The record with this number. */
  get(collection: Collection, seq: number): Soon<Stored | undefined>;

  /**
   * Records in the order asked for, behind a position: at most `limit` of them, and fewer where they are large. Rejects with
   * `timed_out` where it takes too long.
   */
  page(collection: Collection, page: Page, asker?: Asker): Promise<Paged>;

  /** How many records there are that fit. */
  total(collection: Collection, filters: readonly Filter[], asker?: Asker): Promise<number>;

  /** Random, kept in the database, for what must be known to come from here; another one in each epoch. */
  secret(): Promise<string>;

  /** Changes in the order in which they were committed, from the one after `after` on; fewer where they are large. */
  changes(after: number, limit: number, of?: Collection, bytes?: number, asker?: Asker): Promise<Changes>;

  /** Which changes there are. */
  history(): Promise<History>;

  /** Calls whenever there may be new changes, until the function that it answers is called. */
  watch(wake: () => void): () => void;

  /**
   * Forgets changes older than this, some at a time; answers how many it has forgotten now. Ages are told by the clock
   * that gives changes their times, which is one for all instances and never goes back.
   */
  trim(keptMs: number): Promise<number>;

  /** Forgets the idempotency keys older than this, by the same clock. */
  forgetIdempotencyKeys(keptMs: number): Promise<void>;

  /**
   * Changes the fields that are in `json`, an encoded object of some of them; the others keep their values. It is applied
   * where writes are ordered, so without a precondition it cannot lose a race; one is about versions, and judged there as
   * well. Resolves with the whole record.
   */
  update(collection: Collection, seq: number, json: string, when?: Precondition<number>): Promise<Stored | Unchanged>;

  /** Takes the record with this number away; a precondition is about its version. */
  discard(collection: Collection, seq: number, when?: Precondition<number>): Promise<'done' | Unchanged>;

  /** Removes the earliest record with this id; a precondition is about its `tagOf`. */
  remove(collection: Collection, id: bigint, when?: Precondition<string>): Promise<'done' | Unchanged>;

  count(collection: Collection): Promise<number>;

  /** About how many records there are: never slow, and exact where they are few. */
  estimate(collection: Collection): Promise<number>;

  /** What is going on. */
  figures(): Figures;

  /** Rejects when the database does not answer. */
  ping(): Promise<void>;

  /** Finishes the writes under way and lets go of the database. */
  close(): Promise<void>;
}
