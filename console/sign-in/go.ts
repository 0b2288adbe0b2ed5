/** Takes the person to the issuer. This page ends then, so its address is kept to come back to. */
import { signal } from '@preact/signals';
import { keepAttempt } from './attempts.ts';
import { here, type Issuer } from './issuers.ts';
import { loadOauth } from './person.ts';

/** Why the last sign-in at an issuer has failed; empty if it has not. */
export const failedSignIn = signal('');

/** A part of the page cannot be loaded. */
export const serverIsDown = 'The server does not answer. Check that it runs, then sign in again.';

/** Resolves with false if the page stays. `isSilent`: the issuer asks nothing, and sends somebody who is not signed in back. */
export async function goToIssuer(issuer: Issuer, isSilent: boolean): Promise<boolean> {
  failedSignIn.value = '';
  if (!(await answers(issuer))) {
    failedSignIn.value = `${issuer.name} does not answer. Try again later, or use an API key.`;
    return false;
  }
  const oauth = await loadOauth().catch(() => undefined);
  if (oauth === undefined) {
    failedSignIn.value = serverIsDown;
    return false;
  }
  const { url, attempt } = await oauth.begin(issuer, here, isSilent ? 'none' : undefined);
  keepAttempt({ ...attempt, isSilent, to: location.pathname + location.search });
  location.assign(url);
  return true;
}

/** With any status. Otherwise the browser would show a page of its own, from which nothing leads back. */
async function answers({ endpoints }: Issuer): Promise<boolean> {
  try {
    await fetch(endpoints.token, { method: 'HEAD', mode: 'no-cors', signal: AbortSignal.timeout(5000) });
    return true;
  } catch {
    return false;
  }
}
