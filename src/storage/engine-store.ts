/** What an engine is, for every caller alike. Nothing outside of storage reads or writes by it: `views/` makes a `Store` of it. */
import type { Admin } from '../domain/store/admin.ts';
import type { EngineFeed } from './engine-feed.ts';
import type { EngineReads } from './engine-reads.ts';
import type { EngineWrites } from './engine-writes.ts';
import type { Succession } from './succession.ts';

export type EngineStore = {
  readonly reads: EngineReads;
  readonly writes: EngineWrites;
  readonly feed: EngineFeed;
  readonly admin: Admin;
};

/** On the thread that opened the database. */
export type OpenedEngine = EngineStore & { readonly succession: Succession<OpenedEngine> };
