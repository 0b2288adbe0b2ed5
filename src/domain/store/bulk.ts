/** Many records that are added together. */
import type { Once } from './once.ts';

/**
 * `created` is the number of records that were added together; `first` and `last` are their record ids, which have no meaning if there are none. `updated` is
 * the number of updates by a bulk with a key, and absent otherwise.
 */
export type Bulked = {
  readonly created: number;
  readonly first: number;
  readonly last: number;
  readonly updated?: number;
};

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

/**
 * `earlier`: the batch was in already, since then, and `existing` of its records were not deleted since; undefined if they could not be counted, or if the
 * import has a key.
 */
export type Imported = Bulked & { readonly earlier?: { readonly at: string; readonly existing?: number } };

/** Records that are added together: all or none. With a key they are updated if there are such records already, one after the other. */
export type Bulk = {
  /** Spools records, encoded as for `Create`, or with a key as keyed texts (keyed-text.ts); resolves when there is room for more. */
  add(records: readonly string[]): Promise<void>;
  /** Adds the spooled records, at most once per key; other writes wait meanwhile. `isRepeated`: the key had added them before. */
  commit(once: Once | undefined): Promise<Bulked & { readonly isRepeated: boolean }>;
  /**
   * The same for the batches of a file, which have all spooled records, in their order. Resolves with what became of each. `signal` is that of a
   * Requester: records of earlier batches are not counted for a client that has left.
   */
  import(imported: Import, signal?: AbortSignal): Promise<readonly Imported[]>;
  /** Adds the spooled records and takes that back: rejects like `commit`, or resolves with their numbers. Writes wait meanwhile, too. */
  check(): Promise<Pick<Bulked, 'created' | 'updated'>>;
  /** Releases the spooled records. */
  close(): Promise<void>;
};
