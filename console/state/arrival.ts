/** How a page begins where people sign in: they come back from an issuer, or are signed in there. */
import { takeAttempt } from '../sign-in/attempts.ts';
import { failedSignIn, goToIssuer, serverIsDown } from '../sign-in/go.ts';
import { here, issuerNamed, issuers, redirectPath } from '../sign-in/issuers.ts';
import { handOver, stateIn } from '../sign-in/other-window.ts';
import { adopt, loadOauth } from '../sign-in/person.ts';
import { remembered } from '../sign-in/remembered.ts';
import { go, hrefOf } from './address.ts';
import { hasKey } from './session.ts';

/** `leaves`: for the issuer, which sends the person back. `done`: this window has brought the issuer's answer to another one. */
export type Arrival = 'stays' | 'leaves' | 'done';

export async function arrive(): Promise<Arrival> {
  if (issuers.length > 0 && location.pathname === redirectPath) return (await comeBack()) ? 'stays' : 'done';
  const issuer = remembered.get();
  if (issuer === undefined || hasKey()) return 'stays';
  return (await goToIssuer(issuer, true)) ? 'leaves' : 'stays';
}

/** Resolves with false if another window has waited for the answer. */
async function comeBack(): Promise<boolean> {
  const { search } = location;
  const attempt = takeAttempt(stateIn(search));
  // The code is for one use, and neither the address bar nor the history keeps it.
  go(attempt?.to ?? hrefOf([]), 'replace');
  if (attempt === undefined) {
    if (await handOver(search)) return false;
    failedSignIn.value = 'This sign-in was begun in another tab, or is over. Sign in again.';
    return true;
  }
  const issuer = issuerNamed(attempt.issuer);
  if (issuer === undefined) {
    failedSignIn.value = `${attempt.issuer} does not answer this server. Try again later.`;
    return true;
  }
  const oauth = await loadOauth().catch(() => undefined);
  if (oauth === undefined) {
    failedSignIn.value = serverIsDown;
    return true;
  }
  const outcome = await oauth.finish(issuer, here, attempt, search);
  if (outcome.kind === 'signed in') {
    adopt(issuer, outcome.tokens);
    remembered.set(issuer);
    return true;
  }
  // Otherwise each new page would ask the issuer again.
  if (outcome.kind !== 'unreachable') remembered.forget();
  if (outcome.kind !== 'asks') failedSignIn.value = outcome.why;
  else if (!attempt.isSilent) failedSignIn.value = `${issuer.name} has not let you in. Try again.`;
  return true;
}
