/** The key of another tab of this browser: a new tab is signed in like the others. No key is stored for that. */
import { keyOfTab } from '../api/client.ts';

/** A tab answers at once, unless it is busy. */
const patienceMs = 250;

const channel = new BroadcastChannel('shelf.key');
const question = 'key?';
let hear: ((key: string) => void) | undefined;

channel.onmessage = ({ data }) => {
  const key = keyOfTab.get();
  if (data !== question) hear?.(String(data));
  else if (key !== null) channel.postMessage(key);
};

/** Undefined if no tab has one. */
export function keyOfOtherTab(): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  hear = resolve;
  setTimeout(() => resolve(undefined), patienceMs);
  channel.postMessage(question);
  return promise;
}
