/** The changes of a store, in commit order. */
import type { Collection } from '../record/collection.ts';
import type { Requester } from '../store/client.ts';
import type { Changes } from './change.ts';
import type { History } from './feed-history.ts';

export interface Feed {
  /** Changes after `after`: at most `limit`, fewer if they are large. */
  changes(after: number, limit: number, of?: Collection, bytes?: number, requester?: Requester): Promise<Changes>;

  history(): Promise<History>;

  /** Calls `wake` whenever there may be new changes. The returned function stops it. */
  watch(wake: () => void): () => void;

  /**
   * Deletes some of the changes older than this, and returns how many. Ages are measured by the clock that stamps the
   * changes: all instances share it, and it never goes back.
   */
  trim(keptMs: number): Promise<number>;
}
