/**
 * The state that the limits of a server need, over all threads that serve: made once, and posted to each thread. A
 * thread passes it to `createApp`, `Load` and `openEngine`.
 */
import { availableParallelism } from 'node:os';
import { newBuckets } from './buckets.ts';
import { newClientTotals } from './client-totals.ts';
import { newLongWork } from './long-work.ts';
import { newRecent } from './recent.ts';
import { newShares } from './shares.ts';
import { newSplitTotal } from './split-total.ts';
import { newTotal } from './total.ts';

export type ProcessState = {
  /** Connections open, within and over the limit: Shares. */
  readonly connections: SharedArrayBuffer;
  readonly overLimit: SharedArrayBuffer;
  /** Bytes of bodies and answers under way: a SplitTotal, and by client ClientTotals. */
  readonly held: SharedArrayBuffer;
  readonly heldBy: SharedArrayBuffer;
  /** Requests in flight: Shares. */
  readonly requests: SharedArrayBuffer;
  /** Listeners to the live feed: Shares. */
  readonly listeners: SharedArrayBuffer;
  /** Bulks and long lists: Shares. */
  readonly bulks: SharedArrayBuffer;
  readonly lists: SharedArrayBuffer;
  /** Bytes in spool files: a Total, and by client ClientTotals. */
  readonly spooled: SharedArrayBuffer;
  readonly spooledBy: SharedArrayBuffer;
  /** The rate limit, and that of invalid API keys: Buckets. */
  readonly rates: SharedArrayBuffer;
  readonly invalidKeys: SharedArrayBuffer;
  /** API keys and tokens that were valid: Recent. */
  readonly validKeys: SharedArrayBuffer;
  /** Parsing large bodies, and searches: LongWork. */
  readonly longWork: SharedArrayBuffer;
};

export function newProcessState(): ProcessState {
  return {
    connections: newShares(),
    overLimit: newShares(),
    held: newSplitTotal(),
    heldBy: newClientTotals(),
    requests: newShares(),
    listeners: newShares(),
    bulks: newShares(),
    lists: newShares(),
    spooled: newTotal(),
    spooledBy: newClientTotals(),
    rates: newBuckets(),
    invalidKeys: newBuckets(),
    validKeys: newRecent(),
    // The other half of the cores is for threads that serve and write.
    longWork: newLongWork(Math.max(1, Math.floor(availableParallelism() / 2))),
  };
}
