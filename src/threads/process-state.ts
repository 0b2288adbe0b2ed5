/**
 * The state that the limits of a server need, over all threads that serve: made once, and posted to each thread. A
 * thread passes it to `createApp`, `Load` and `openEngine`.
 */
import { availableParallelism } from 'node:os';
import { newBuckets } from './limits/buckets.ts';
import { newLastSeen } from './limits/last-seen.ts';
import { newShares } from './limits/shares.ts';
import { newLongWork } from './long-work.ts';

export type ProcessState = {
  /** Shares: connections open, within and over the limit. */
  readonly connections: SharedArrayBuffer;
  readonly overLimit: SharedArrayBuffer;
  /** Shares: KiB of bodies and answers under way. */
  readonly held: SharedArrayBuffer;
  /** Shares: requests in flight. */
  readonly requests: SharedArrayBuffer;
  /** Shares: listeners to the live feed. */
  readonly listeners: SharedArrayBuffer;
  /** Shares: bulks and long lists, and KiB in their spool files. */
  readonly bulks: SharedArrayBuffer;
  readonly lists: SharedArrayBuffer;
  readonly spooled: SharedArrayBuffer;
  /** The rate limit, and that of invalid API keys: Buckets. */
  readonly rates: SharedArrayBuffer;
  readonly invalidKeys: SharedArrayBuffer;
  /** API keys and tokens that were valid: LastSeen. */
  readonly validKeys: SharedArrayBuffer;
  /** Parsing large bodies, and searches: LongWork. */
  readonly longWork: SharedArrayBuffer;
};

export function newProcessState(): ProcessState {
  return {
    connections: newShares(),
    overLimit: newShares(),
    held: newShares(),
    requests: newShares(),
    listeners: newShares(),
    bulks: newShares(),
    lists: newShares(),
    spooled: newShares(),
    rates: newBuckets(),
    invalidKeys: newBuckets(),
    validKeys: newLastSeen(),
    // The other half of the cores is for threads that serve and write.
    longWork: newLongWork(Math.max(1, Math.floor(availableParallelism() / 2))),
  };
}
