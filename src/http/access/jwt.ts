/** Verifies JSON Web Tokens of one issuer with its public keys, which may rotate at any time. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Caller, scopes } from '../../domain/caller.ts';
import { lastMoment } from '../../exact/moment.ts';
import { digestOf, type Verify } from './auth.ts';

export type TokenOptions = {
  readonly issuer: string;
  /** Undefined to accept every token of the issuer. */
  readonly audience: string | undefined;
  /** Fetches the current public keys (a JWK set). */
  load(): Promise<unknown>;
  report(error: unknown): void;
};

/** Only asymmetric ones: with a shared secret, every service that verifies tokens could issue them. */
const algorithms = [
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
/** Age at which keys are fetched again; for a token with an unknown key, at most once per cooldown. */
const freshMs = 600_000;
const cooldownMs = 10_000;
/** In seconds. */
const clockTolerance = 5;
/** In milliseconds: the last time that can be written, as the expiry of a key. */
const latest = Date.parse(lastMoment);
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
      const required = ['exp', 'sub'];
      const options = { issuer, algorithms, clockTolerance, requiredClaims: required };
      const { payload } = await jwtVerify(token, keyOf, audience === undefined ? options : { ...options, audience });
      return callerOf(payload);
    } catch {
      return undefined;
    }
  };
}

/** Undefined for a token without a subject, and for one without a scope of Shelf: its caller may do nothing here. */
function callerOf({ iss = '', sub, scope, scp, exp }: Readonly<Record<string, unknown>>): Caller | undefined {
  if (typeof sub !== 'string' || sub === '') return undefined;
  const listed = scope ?? scp ?? [];
  const granted = (Array.isArray(listed) ? listed.map(String) : String(listed).split(' ')).map((one) =>
    one.replace(/^shelf:/, ''),
  );
  const highest = scopes.findLast((one) => granted.includes(one));
  if (highest === undefined) return undefined;
  const digest = digestOf(`${iss} ${sub}`).slice(0, 16);
  return {
    id: `jwt-${digest}`,
    // The name of an API key has no colon, and no subject that is shown as it is has a number sign.
    name: /^[\w.@:|-]{1,128}$/.test(sub) ? `jwt:${sub}` : `jwt:#${digest}`,
    scope: highest,
    collections: undefined,
    expiresAt: Math.min(Number(exp) * 1000, latest),
    isToken: true,
  };
}
