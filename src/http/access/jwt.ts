/** JSON Web Tokens of one issuer, checked against its public keys, which may change at any time. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Caller, scopes } from '../../domain/caller.ts';
import { digestOf, type Verify } from './auth.ts';

export type TokenOptions = {
  readonly issuer: string;
  /** Undefined where every token of the issuer is meant for this service. */
  readonly audience: string | undefined;
  /** Fetches the keys that are public now. */
  load(): Promise<unknown>;
  report(error: unknown): void;
};

/** Those with a key pair: with a shared secret, whoever can check a token could make one. */
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
/** How old the keys may grow, and how soon they are fetched again for a token whose key is not among them. */
const freshMs = 600_000;
const cooldownMs = 10_000;
const clockTolerance = 5;
/** So many tokens wait for keys at once; made-up ones could come in any number. */
const maxWaiting = 50;

export function tokenVerifier({ issuer, audience, load, report }: TokenOptions): Verify {
  let known: JWTVerifyGetKey | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;

  /** Keys that were fetched count until others are: the issuer may be away. */
  function refresh(): Promise<void> {
    triedAt = performance.now();
    loading ??= load()
      .then((keys) => {
        known = createLocalJWKSet(keys as JSONWebKeySet);
      })
      .catch(report)
      .finally(() => {
        loading = undefined;
      });
    return loading;
  }

  let waiting = 0;
  async function fetched(): Promise<void> {
    if (waiting >= maxWaiting) return;
    waiting++;
    await (performance.now() - triedAt > cooldownMs ? refresh() : loading);
    waiting--;
  }

  const keyOf: JWTVerifyGetKey = async (header, token) => {
    const age = performance.now() - triedAt;
    // Keys that are very old may have been withdrawn.
    if (known === undefined || age > 2 * freshMs) await fetched();
    else if (age > freshMs) refresh();
    if (known === undefined) throw new errors.JWKSNoMatchingKey();
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // It may be one that the issuer has made since.
      await fetched();
      return known(header, token);
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

/** A token without a scope of ours names somebody who may do nothing here. */
function callerOf({ iss = '', sub = '', scope, scp, exp }: Readonly<Record<string, unknown>>): Caller | undefined {
  const listed = scope ?? scp ?? [];
  const granted = (Array.isArray(listed) ? listed.map(String) : String(listed).split(' ')).map((one) =>
    one.replace(/^shelf:/, ''),
  );
  const highest = scopes.findLast((one) => granted.includes(one));
  if (highest === undefined) return undefined;
  const id = `jwt-${digestOf(`${iss} ${sub}`).slice(0, 16)}`;
  const name = /^[\w.@:|-]{1,128}$/.test(String(sub)) ? String(sub) : id;
  return { id, name, scope: highest, collections: undefined, expiresAt: Number(exp) * 1000 };
}
