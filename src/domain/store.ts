/** What every engine promises. The HTTP floor knows this and no engine. */
import type { Collection, Row } from './collection.ts';

export interface Store {
  /** The whole collection in insertion order, as it stood at one moment. */
  list(collection: Collection): Promise<Row[]>;

  /** The earliest record with this id. */
  find(collection: Collection, id: bigint): Promise<Row | undefined>;

  /** Adds a record at the end. Resolves only when it would survive a power cut; rejects when nothing was kept. */
  append(collection: Collection, row: Row): Promise<void>;

  /** Removes the earliest record with this id, as durably as `append` adds one; false when there is none. */
  remove(collection: Collection, id: bigint): Promise<boolean>;

  count(collection: Collection): Promise<number>;

  /** Rejects when the database does not answer. */
  ping(): Promise<void>;

  close(): Promise<void>;
}
