/** Whether a screen is live: a light, and words. */
import type { ComponentChildren } from 'preact';
import './feed-light.css';

export function FeedLight({ isOn, children }: { readonly isOn: boolean; readonly children: ComponentChildren }) {
  return (
    <span class={isOn ? 'feed-light on' : 'feed-light'} role="status">
      {children}
    </span>
  );
}
