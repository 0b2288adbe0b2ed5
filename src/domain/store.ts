/** The interface of every storage engine. The HTTP layer depends on it, and on no engine. */

import type { ApiKeys } from './api-keys.ts';
import type { Bytes } from './bytes.ts';
import type { Collection } from './collection.ts';
import type { History } from './history.ts';
import type { Precondition } from './precondition.ts';
import type { Filter, Order, Position } from './query.ts';
import type { Recorded, Stored } from './record.ts';
import type { Soon } from './soon.ts';
import type { Tickets } from './tickets.ts';

/** A snapshot of a whole collection as a JSON array. The same object until the collection changes. */
export type Listing = {
  /** Differs between any two lists that differ; undefined if the engine cannot determine it. */
  readonly tag: string | undefined;
  /** Bytes in total; undefined if unknown before they are read. */
  readonly size: number | undefined;
  /**
   * A new iterator at each call, for the reader `client`. A reader that stops early must call its `return`. Undefined if the list has
   * changed since: there is another `Listing` then.
   */
  parts(client: Client): AsyncIterator<Bytes> | Iterator<Bytes> | undefined;
};

export type Added = { readonly seq: number; readonly at: string };

/**
 * The network of a client's address, for limits per client. Undefined where one address stands for many clients, which then have no share each: a Unix
 * socket, unless a proxy names the client, and connections of a trusted proxy. A request counts for a TCP proxy that names no client.
 */
export type Client = string | undefined;

/** The client that waits for an answer: clients take turns, and work for a client that has left ends. */
export type Requester = {
  readonly client: Client;
  /** Aborted with a Failure when the client no longer waits; undefined if it always waits. */
  readonly signal: AbortSignal | undefined;
};

export type Page = {
  readonly filters: readonly Filter[];
  readonly sort: readonly Order[];
  readonly after: Position | undefined;
  readonly limit: number;
};

/** `more`: there are records after these. */
export type Paged = { readonly records: readonly Stored[]; readonly more: boolean };

/** Records as the production API returns them, with commas between them. `last` is the position of the last one; it has no meaning unless there are more. */
export type EncodedPage = { readonly bytes: Bytes; readonly last: Position; readonly more: boolean };
/** A record as the production API returns it. */
export type EncodedRecord = { readonly bytes: Bytes; readonly version: number };

/** One committed change; for a deletion `record` is the last state. */
export type Change = {
  readonly seq: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly at: string;
  /** The name of the API key, or the subject of the token, that made the change; undefined if there was none. */
  readonly by: string | undefined;
  readonly collection: Collection;
  /** What one record was called when the change was recorded. */
  readonly singular: string;
  readonly record: Recorded;
};
/**
 * `more`: there are changes after these. `history` is from the moment of the read, or later. `to` is how far the read has looked: of what was
 * asked for, there is and will be no other change up to this number.
 */
export type Changes = {
  readonly changes: readonly Change[];
  readonly more: boolean;
  readonly history: History;
  readonly to: number;
};

/**
 * An idempotency key, a digest of the request that it came with, and the TTL of such keys in milliseconds. `former` is the digest that versions up to 0.5
 * stored for the request: it is compared, too, and never stored. Remove it with 0.7, when the keys of those versions have expired.
 */
export type Once = {
  readonly key: string;
  readonly digest: string;
  readonly former: string;
  readonly keptMs: number;
};
/** The record that was added with this key before, as it was then. */
export type Repeated = { readonly repeated: Recorded };

/** `created` is the number of records that were added together; `first` and `last` are their seqs. */
export type Bulked = { readonly created: number; readonly first: number; readonly last: number };

/**
 * A batch of an imported file. Its key is a digest of the file up to its end: the same whoever imports the file, and whichever way. Only a caller that
 * has the file can know the key.
 */
export type ImportBatch = { readonly key: string; readonly records: number };

/** Batches that are added together. Those that are in already are left out, unless `isAgain`. `keptMs` is the TTL of the keys. */
export type Import = {
  readonly batches: readonly ImportBatch[];
  readonly keptMs: number;
  readonly isAgain: boolean;
};

/** `earlier`: the batch was in already, since then, and `existing` of its records were not deleted since; undefined if they could not be counted. */
export type Imported = Bulked & { readonly earlier?: { readonly at: string; readonly existing?: number } };

/** Records that are added together: all or none. */
export type Bulk = {
  /** Spools records, encoded as for `append`; resolves when there is room for more. */
  add(records: readonly string[]): Promise<void>;
  /** Adds the spooled records, at most once per key; other writes wait meanwhile. */
  commit(once: Once | undefined): Promise<Bulked | { readonly repeated: Bulked } | 'mismatch'>;
  /**
   * The same for the batches of a file, which have all spooled records, in their order. Resolves with what became of each. `signal` is that of a
   * Requester: records of earlier batches are not counted for a client that has left.
   */
  import(imported: Import, signal?: AbortSignal): Promise<readonly Imported[]>;
  /** Adds the spooled records and takes that back: rejects like `commit`, or resolves with their number. Writes wait meanwhile, too. */
  check(): Promise<number>;
  /** Releases the spooled records. */
  close(): Promise<void>;
};

/** The figures of a store that operators monitor. */
export type Figures = {
  readonly writesWaiting: number;
  readonly readsWaiting: number;
  readonly cacheBytes: number;
  /** Single records of collections that are not in memory: those that this thread had kept, and those that it has read from the file. */
  readonly hot: { readonly hits: number; readonly misses: number };
  /** Size of SQLite's write-ahead log. */
  readonly walBytes: number;
  /** Connections to a database server, by purpose. */
  readonly pools: Readonly<Record<string, { readonly used: number; readonly most: number }>>;
  /** Standbys that serve reads, by address. */
  readonly replicas: Readonly<Record<string, ReplicaFigures>>;
  /** Reads that a standby may serve and the primary has served. */
  readonly readsFromPrimary: number;
};

export type ReplicaFigures = {
  readonly isUsed: boolean;
  /** Since it last had all changes; 0 while it is used. */
  readonly lagSeconds: number;
  readonly reads: number;
};

/** Why a change was not made: the record does not exist, or the precondition does not hold. */
export type Unchanged = 'missing' | 'conflict';

/** Adds the id to a record that was encoded without one: its seq. */
export function withId(json: string, seq: number): string {
  return json.startsWith('{"id":') ? json : `{"id":${seq},${json.slice(1)}`;
}

/** How other threads of the process serve the same store. */
export type Sharing = {
  /** What such a thread opens it with; it can be posted. */
  readonly data: unknown;
  /** Calls `take` with a port to the writer, again after each restart of the writer, and `lose` when the writer has ended. */
  connect(thread: { take(port: MessagePort): void; lose(cause: Error): void }): void;
};

export interface Store {
  /** Undefined if the engine serves from one thread. */
  readonly sharing: Sharing | undefined;

  readonly apiKeys: ApiKeys;

  /** Tickets of callers that are about to open the live feed. */
  readonly tickets: Tickets;

  /** Resolves when requests can be served; rejects with a StartError if they never can. */
  readonly ready: Promise<void>;

  /** This start created the database; valid once `ready` has resolved. */
  readonly isNew: boolean;
  /** Collections that the database has and that are not served, once it is ready. */
  readonly unserved: readonly string[];

  /** Every record in insertion order, including all writes that were acknowledged before the call. */
  list(collection: Collection): Soon<Listing>;

  /** The strong entity tag of a record's bytes, quoted. The preconditions of `remove` use these tags. */
  tagOf(record: Bytes): string;

  /** The earliest record with this id, encoded. */
  find(collection: Collection, id: bigint): Soon<Bytes | undefined>;

  /**
   * Adds a record at the end. `json` is the encoded record, without an id if its seq is to be the id. Resolves only
   * when the write would survive a power cut. `by` is the name of the caller, for the change. Rejects with `storage_unavailable` or `overloaded` if nothing was stored,
   * and with `outcome_unknown` if that is not known. All other changes do the same. Rejects with `already_exists` or
   * `reference_missing` because of other records; so do `bulk` and `update`.
   */
  append(collection: Collection, json: string, by?: string): Promise<Added>;

  /**
   * Adds a record unless the same key has added one before, and stores the key with it: any number of retries makes one
   * record. `mismatch`: the key came with another request before.
   */
  appendOnce(collection: Collection, json: string, once: Once, by?: string): Promise<Added | Repeated | 'mismatch'>;

  /** Opens a bulk of any size; rejects with `overloaded` if too many are open. */
  bulk(collection: Collection, client: Client, by?: string): Promise<Bulk>;

  /** The record with this seq, if it is in memory. If not, `get` tells whether it exists. */
  recordInMemory(collection: Collection, seq: number): EncodedRecord | undefined;

  /**
   * The page as `page` reads it, encoded. Undefined if the engine has nothing faster than `page` for it: SQLite has the pages
   * whose records are in memory and which an index finds, PostgreSQL all.
   */
  encodedPage(collection: Collection, page: Page): Soon<EncodedPage> | undefined;

  /** The record with this seq. */
  get(collection: Collection, seq: number): Soon<Stored | undefined>;

  /**
   * The records with these seqs, in their order; those that do not exist are left out. If they are large, only the first ones:
   * `more` says that those after the last record are not read.
   */
  some(collection: Collection, seqs: readonly number[]): Promise<Paged>;

  /**
   * Records in the requested order, after a position: at most `limit`, fewer if they are large. Rejects with
   * `timed_out` if it takes too long.
   */
  page(collection: Collection, page: Page, asker?: Requester): Promise<Paged>;

  /** The number of records that match. */
  total(collection: Collection, filters: readonly Filter[], asker?: Requester): Promise<number>;

  /** A random secret stored in the database, to sign cursors and tickets; each epoch has a new one. */
  secret(): Soon<string>;

  /** Changes after `after` in commit order: at most `limit`, fewer if they are large. */
  changes(after: number, limit: number, of?: Collection, bytes?: number, asker?: Requester): Promise<Changes>;

  history(): Promise<History>;

  /** Calls `wake` whenever there may be new changes. The returned function stops it. */
  watch(wake: () => void): () => void;

  /**
   * Deletes some of the changes older than this, and returns how many. Ages are measured by the clock that stamps the
   * changes: all instances share it, and it never goes back.
   */
  trim(keptMs: number): Promise<number>;

  /** Deletes the idempotency keys older than this, by the same clock. */
  forgetIdempotencyKeys(keptMs: number): Promise<void>;

  /**
   * Changes the fields in `json`, an encoded object; the other fields keep their values. It is applied where writes are
   * serialized, so it cannot lose a race even without a precondition. A precondition is on the version, and is checked
   * there as well. Resolves with the whole record.
   */
  update(
    collection: Collection,
    seq: number,
    json: string,
    when?: Precondition<number>,
    by?: string,
  ): Promise<Recorded | Unchanged>;

  /**
   * Removes the record with this seq; a precondition is on its version. Records that refer to it are deleted or changed with
   * it, as their fields declare, if their collections are `permitted`; undefined for all. Rejects with `still_referenced`.
   */
  discard(
    collection: Collection,
    seq: number,
    when?: Precondition<number>,
    permitted?: readonly string[],
    by?: string,
  ): Promise<'done' | Unchanged>;

  /** Like `discard`, for the earliest record with this id; a precondition is on its `tagOf`. */
  remove(
    collection: Collection,
    id: bigint,
    when?: Precondition<string>,
    permitted?: readonly string[],
    by?: string,
  ): Promise<'done' | Unchanged>;

  count(collection: Collection): Promise<number>;

  /** The approximate number of records: never slow, and exact if they are few. */
  estimate(collection: Collection): Promise<number>;

  figures(): Figures;

  /** Rejects when the database does not answer. */
  ping(): Promise<void>;

  /** Finishes the writes in flight and closes the database. */
  close(): Promise<void>;
}
