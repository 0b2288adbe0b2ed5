/** Verifies JSON Web Tokens of one issuer with its public keys, which may rotate at any time. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Verify } from './auth.ts';
import { callerOfToken, clockTolerance, requiredClaims, signatureAlgorithms } from './token-caller.ts';

export type TokenOptions = {
  readonly issuer: string;
  /** Undefined to accept every token of the issuer. */
  readonly audience: string | undefined;
  /** Fetches the current public keys (a JWK set). */
  load(): Promise<unknown>;
  report(error: unknown): void;
};

/** Age at which keys are fetched again; for a token with an unknown key, at most once per cooldown. */
const freshMs = 600_000;
const cooldownMs = 10_000;
/** Requests that wait for keys at once: forged tokens could arrive in any number. */
const maxWaiting = 50;

export function tokenVerifier({ issuer, audience, load, report }: TokenOptions): Verify {
  let keySet: JWTVerifyGetKey | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;

  /** Keeps the last keys if the fetch fails: the issuer may be down. */
  function refresh(): Promise<void> {
    triedAt = performance.now();
    loading ??= load()
      .then((keys) => {
        keySet = createLocalJWKSet(keys as JSONWebKeySet);
      })
      .catch(report)
      .finally(() => {
        loading = undefined;
      });
    return loading;
  }

  let waiting = 0;
  async function waitForKeys(): Promise<void> {
    if (waiting >= maxWaiting) return;
    waiting++;
    await (performance.now() - triedAt > cooldownMs ? refresh() : loading);
    waiting--;
  }

  const keyOf: JWTVerifyGetKey = async (header, token) => {
    const age = performance.now() - triedAt;
    // Keys this old may have been withdrawn, so the fetch comes first.
    if (keySet === undefined || age > 2 * freshMs) await waitForKeys();
    else if (age > freshMs) refresh();
    if (keySet === undefined) throw new errors.JWKSNoMatchingKey();
    try {
      return await keySet(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The issuer may have added this key since the last fetch.
      await waitForKeys();
      return keySet(header, token);
    }
  };

  return async (token) => {
    try {
      const options = { issuer, algorithms: signatureAlgorithms, clockTolerance, requiredClaims };
      const { payload } = await jwtVerify(token, keyOf, audience === undefined ? options : { ...options, audience });
      return callerOfToken(payload, (subject) => `jwt:${subject}`);
    } catch {
      return undefined;
    }
  };
}
