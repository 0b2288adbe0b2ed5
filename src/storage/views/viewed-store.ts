/** A store for callers: an engine, behind the views and rights of each. */
import type { Store } from '../../domain/store/store.ts';
import type { EngineStore } from '../engine-store.ts';
import { ViewedFeed } from './viewed-feed.ts';
import { ViewedReads } from './viewed-reads.ts';
import { ViewedWrites } from './viewed-writes.ts';

export function viewedStore({ reads: engineReads, writes, feed, admin }: EngineStore): Store {
  const reads = new ViewedReads(engineReads);
  return { reads, writes: new ViewedWrites(writes, reads), feed: new ViewedFeed(feed), admin };
}
