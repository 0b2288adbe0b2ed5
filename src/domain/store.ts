/** What every engine promises. The HTTP floor knows this and no engine. */
import type { Collection, Row } from './collection.ts';

/** Encoded JSON, never changed once it is handed out. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A whole collection as a JSON array, as it stood at one moment. The same object as long as nothing has changed. */
export type Listing = {
  /** Differs between any two lists that differ; undefined where the engine cannot tell. */
  readonly tag: string | undefined;
  /** All bytes together; undefined where they are not known before they are read. */
  readonly size: number | undefined;
  /** In order, and read once each time it is called; a reader that stops early must return the iterator. */
  parts(): AsyncIterator<Bytes> | Iterator<Bytes>;
};

/** What is at hand is answered at once; what must be fetched is a promise. */
type Soon<Value> = Value | Promise<Value>;

export interface Store {
  /** Resolves when requests can be served; rejects with a StartError when they never will be. */
  readonly ready: Promise<void>;

  /** Every record in insertion order; it has all that was acknowledged before the call. */
  list(collection: Collection): Soon<Listing>;

  /** The earliest record with this id, encoded. */
  find(collection: Collection, id: bigint): Soon<Bytes | undefined>;

  /**
   * Adds a record at the end; `json` is the record encoded. Resolves only when it would survive a power cut; rejects
   * with `storage_unavailable` or `overloaded` when nothing was kept, and with `outcome_unknown` when nobody can tell.
   */
  append(collection: Collection, row: Row, json: string): Promise<void>;

  /** Removes the earliest record with this id, as durably as `append` adds one; false when there is none. */
  remove(collection: Collection, id: bigint): Promise<boolean>;

  count(collection: Collection): Promise<number>;

  /** Rejects when the database does not answer. */
  ping(): Promise<void>;

  /** Finishes the writes under way and lets go of the database. */
  close(): Promise<void>;
}
