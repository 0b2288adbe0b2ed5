/** The client of this page, with the API key or token of its tab. */
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

/** Throws TypeError if the key cannot be sent. */
export function clientOfTab(): Sender {
  sender ??= new Sender({
    url: '',
    key: keyOfTab.get() ?? undefined,
    // The server bounds every request, and a person decides about a retry.
    timeout: Number.POSITIVE_INFINITY,
    retries: 0,
    // The page must not show what it had before a change.
    init: { cache: 'no-store', credentials: 'omit', redirect: 'follow' },
  });
  return sender;
}
