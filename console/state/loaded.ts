/** What a screen has asked the server for. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../api/problem.ts';

export type Loaded<Value> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'here'; readonly value: Value };

/**
 * Asks when the component appears and when `about` changes, and then every `everyMs` while the page is seen. Between two answers
 * the earlier one stays.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  about: readonly unknown[],
  everyMs?: number,
): ReadonlySignal<Loaded<Value>> {
  const loaded = useSignal<Loaded<Value>>({ kind: 'waiting' });
  useEffect(() => {
    const ended = new AbortController();
    let isAsking = false;
    async function ask(): Promise<void> {
      isAsking = true;
      try {
        const value = await load(ended.signal);
        if (!ended.signal.aborted) loaded.value = { kind: 'here', value };
      } catch (error) {
        if (!ended.signal.aborted) loaded.value = { kind: 'failed', why: messageOf(error) };
      }
      isAsking = false;
    }
    ask();
    // A request may wait for hours, until the person has signed in again.
    const repeat = () => (document.hidden || isAsking ? undefined : ask());
    const timer = everyMs === undefined ? undefined : setInterval(repeat, everyMs);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, about);
  return loaded;
}
