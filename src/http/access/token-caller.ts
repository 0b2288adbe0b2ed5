/** What every token must have, and the caller that a verified one stands for. */
import { type Caller, type Claims, scopes } from '../../domain/caller.ts';
import { lastMoment } from '../../exact/moment.ts';
import { digestOf } from './auth.ts';

/** Only asymmetric ones: with a shared secret, every service that verifies tokens could issue them. */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Seconds by which the clocks of issuer and server may differ. */
export const clockTolerance = 5;
export const requiredClaims = ['exp', 'sub'];
/** In milliseconds: the last time that can be written, as the expiry of a key. */
const latest = Date.parse(lastMoment);

/** Undefined for a token without a subject. Its scope may be undefined. `nameOf` gets the subject as it can be shown. */
export function callerOfToken(claims: Claims, nameOf: (subject: string) => string): Caller | undefined {
  const { iss = '', sub, scope, scp, exp } = claims;
  if (typeof sub !== 'string' || sub === '') return undefined;
  const listed = scope ?? scp ?? [];
  const granted = (Array.isArray(listed) ? listed.map(String) : String(listed).split(' ')).map((one) =>
    one.replace(/^shelf:/, ''),
  );
  const highest = scopes.findLast((one) => granted.includes(one));
  const digest = digestOf(`${iss} ${sub}`).slice(0, 16);
  return {
    id: `jwt-${digest}`,
    // No subject that is shown as it is has a number sign.
    name: nameOf(/^[\w.@:|-]{1,128}$/.test(sub) ? sub : `#${digest}`),
    scope: highest,
    collections: undefined,
    expiresAt: Math.min(Number(exp) * 1000, latest),
    isToken: true,
    claims,
  };
}
