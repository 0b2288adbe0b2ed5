/** The client of this page, with the token of its person, or the API key or token of its tab. */
import { Sender } from '../../src/client/send/sender.ts';

const name = 'shelf.key';
let sender: Sender | undefined;

/** It is forgotten with the tab: nothing else on the machine can read it later. */
export const keyOfTab = {
  get: () => sessionStorage.getItem(name),
  set(key: string): void {
    sessionStorage.setItem(name, key);
    sender = undefined;
  },
  forget(): void {
    sessionStorage.removeItem(name);
    sender = undefined;
  },
};

let token: string | undefined;

/** The token of a person who has signed in. It comes before the key, and is forgotten with the page. */
export const tokenOfPage = {
  get: () => token,
  set(next: string): void {
    token = next;
    // What has begun goes on with it, such as the feed.
    sender?.use(next);
  },
  forget(): void {
    token = undefined;
    sender = undefined;
  },
};

/** Throws TypeError if the key cannot be sent. */
export function clientOfTab(): Sender {
  sender ??= new Sender({
    url: '',
    key: token ?? keyOfTab.get() ?? undefined,
    // The server bounds every request, and a person decides about a retry.
    timeout: Number.POSITIVE_INFINITY,
    retries: 0,
    // The page must not show what it had before a change.
    init: { cache: 'no-store', credentials: 'omit', redirect: 'follow' },
  });
  return sender;
}
