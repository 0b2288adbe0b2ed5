/** The state of the live feed, in words. */
import type { FeedState } from '../api/feed.ts';

export const feedWords: Readonly<Record<FeedState, string>> = {
  connecting: 'Connecting to the live feed \u2026',
  live: 'Live',
  paused: 'Paused while the page is hidden',
  lost: 'Not live: the connection is lost, trying again',
  refused: 'Not live: this key may not follow changes',
};
