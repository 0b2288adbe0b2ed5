/** Messages from the writer to readers: segments and shards that were added or given back. */
import type { ShardChange } from './hot-records.ts';
import type { Segment } from './view.ts';

/** A segment that is new, or an empty one instead of one that was given back. */
type SegmentChange = { readonly segment: Segment; readonly index: number };

export type MemoryChange = SegmentChange | ShardChange;

export function givesBack(change: MemoryChange): boolean {
  return 'segment' in change ? change.segment.byteLength === 0 : change.added.length === 0;
}
