/** The interface of every storage engine. The HTTP layer depends on it, and on no engine. */

import type { Feed } from '../feed/feed.ts';
import type { Admin } from './admin.ts';
import type { Reads } from './reads.ts';
import type { Writes } from './writes.ts';

export type Store = {
  readonly reads: Reads;
  readonly writes: Writes;
  readonly feed: Feed;
  readonly admin: Admin;
};
