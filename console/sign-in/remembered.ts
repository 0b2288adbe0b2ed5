/** The issuer where the person at this browser is signed in, for all tabs. It is only a name: each tab gets its own tokens. */
import { type Issuer, issuerNamed } from './issuers.ts';

const name = 'shelf.issuer';

export const remembered = {
  get: (): Issuer | undefined => issuerNamed(localStorage.getItem(name)),
  set: (issuer: Issuer) => localStorage.setItem(name, issuer.name),
  forget: () => localStorage.removeItem(name),
};

/** To the other tabs of this browser. */
const channel = new BroadcastChannel('shelf.signed-out');

export function signOutElsewhere(): void {
  channel.postMessage('');
}

/** Called when the person has signed out in another tab. */
export function onSignedOutElsewhere(notify: () => void): void {
  channel.onmessage = notify;
}
