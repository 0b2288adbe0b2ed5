/** The changes of a store, in commit order, each read for somebody: what a selection does not show is as if it had not happened. */
import type { Requester } from '../store/client.ts';
import type { History } from './feed-history.ts';
import type { Followed, Selection } from './selection.ts';

export interface Feed {
  /** Changes after `after`: at most `limit`, fewer if they are large. Of a filter's, fewer also if the feed has looked at many. */
  changes(selection: Selection, after: number, limit: number, bytes?: number, requester?: Requester): Promise<Followed>;

  history(): Promise<History>;

  /** Calls `wake` whenever there may be new changes. The returned function stops it. */
  watch(wake: () => void): () => void;

  /**
   * Deletes some of the changes older than this, and returns how many. Ages are measured by the clock that stamps the
   * changes: all instances share it, and it never goes back.
   */
  trim(keptMs: number): Promise<number>;
}
