/** Ends the session at the issuer: otherwise the next person at this browser would be signed in without being asked. */
import { failedSignIn } from './go.ts';
import { here, placeOf } from './issuers.ts';
import { type Grant, loadOauth } from './person.ts';

/** Resolves with whether the page goes to the issuer, which sends it back to the console. */
export async function endSession({ issuer, tokens }: Grant): Promise<boolean> {
  const { endSessionUrl, revoke } = await loadOauth();
  await revoke(issuer, tokens);
  const url = endSessionUrl(issuer, here, tokens);
  if (url !== undefined) location.assign(url);
  else
    failedSignIn.value = `You are signed out of this console. ${placeOf(issuer)} has no address for signing out, so you are still signed in there.`;
  return url !== undefined;
}
