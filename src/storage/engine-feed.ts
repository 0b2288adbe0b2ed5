/** The changes of an engine, as they were committed. `views/` shows each follower those that it may see. */
import type { Changes } from '../domain/feed/change.ts';
import type { Feed } from '../domain/feed/feed.ts';
import type { Collection } from '../domain/record/collection.ts';
import type { Requester } from '../domain/store/client.ts';

export interface EngineFeed extends Omit<Feed, 'changes'> {
  /** Changes after `after`, of all collections or of one: at most `limit`, fewer if they are large. */
  changes(after: number, limit: number, of?: Collection, bytes?: number, requester?: Requester): Promise<Changes>;
}
