/** Whether a screen is live: a light, and words. */
import type { ComponentChildren } from 'preact';
import type { FeedState } from '../api/feed.ts';
import './feed-light.css';

export const feedWords: Readonly<Record<FeedState, string>> = {
  connecting: 'Connecting to the live feed \u2026',
  live: 'Live',
  paused: 'Paused while the page is hidden',
  lost: 'Not live: the connection is lost, trying again',
  refused: 'Not live: this key may not follow changes',
};

export function FeedLight({ isOn, children }: { readonly isOn: boolean; readonly children: ComponentChildren }) {
  return (
    <span class={isOn ? 'feed-light on' : 'feed-light'} role="status">
      {children}
    </span>
  );
}
