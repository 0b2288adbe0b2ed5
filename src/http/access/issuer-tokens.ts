/** Verifies tokens of OpenID issuers. */
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { Failure } from '../../domain/errors.ts';
import type { Verify } from './auth.ts';
import type { Issuer } from './issuer.ts';
import { callerOfToken, clockTolerance, requiredClaims, signatureAlgorithms } from './token-caller.ts';

/** `otherwise` verifies tokens of others. */
export function issuerVerifier(issuers: readonly Issuer[], audience: string, otherwise: Verify | undefined): Verify {
  const byName = new Map(issuers.map((issuer) => [issuer.name, issuer]));

  async function verify(token: string, issuer: Issuer) {
    const options = {
      issuer: issuer.name,
      audience,
      algorithms: signatureAlgorithms,
      clockTolerance,
      requiredClaims,
    };
    const { payload } = await jwtVerify(token, issuer.keyOf, options);
    // Two issuers may have the same subject. Neither an issuer nor the last part of a name has another @.
    return callerOfToken(payload, (subject) => `oidc:${subject}@${issuer.name.replace(/^https:\/\//, '')}`);
  }

  return async (token) => {
    const claims = claimsIn(token);
    const issuer = byName.get(claims?.iss ?? '');
    if (issuer === undefined) return otherwise?.(token);
    // After a rotation, old tokens have keys that are no longer published: the issuer is not asked for them.
    if (hasExpired(claims)) return undefined;
    try {
      return await verify(token, issuer);
    } catch (error) {
      if (error instanceof Failure) throw error;
      return undefined;
    }
  };
}

/** Not verified. */
function claimsIn(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

function hasExpired({ exp = 0 }: JWTPayload = {}): boolean {
  return exp + clockTolerance <= Date.now() / 1000;
}
