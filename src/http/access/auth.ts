/** Authenticates a request, and checks the caller's scope. */
import { type Caller, may, type Scope } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import { type ApiKey, type ApiKeys, isActive } from '../../domain/store/api-keys.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import type { Route } from '../route/route.ts';

/** Which requests need a key: none, writes, or all. */
export const authModes = ['off', 'write', 'all'] as const;
export type AuthMode = (typeof authModes)[number];

/** Resolves with undefined for an invalid token. Rejects with a Failure for one that cannot be checked now. */
export type Verify = (token: string) => Promise<Caller | undefined>;
/** The Failure is the reason why a token cannot be checked now. */
export type Identity = Caller | Failure | undefined;

/** Keys are stored and found by this digest. It needs no salt: keys are random, so a salt would not make them harder to guess. */
export function digestOf(key: string): string {
  return Bun.SHA256.hash(key, 'hex');
}

/** The scope that a route needs; undefined if it needs none. */
export function neededScope(mode: AuthMode, { method, access }: Pick<Route, 'method' | 'access'>): Scope | undefined {
  if (mode === 'off' || access === 'open' || access === 'always' || access === 'anybody') return undefined;
  if (access === 'admin') return 'admin';
  if (access === 'key') return 'read';
  if (method !== 'GET' && access !== 'read') return 'write';
  return mode === 'all' ? 'read' : undefined;
}

/** The API key or token as it was sent; undefined if there is none. */
export function tokenOf(request: Incoming): string | undefined {
  const bearer = /^Bearer +([!-~]+)$/i.exec(request.header('authorization') ?? '')?.[1];
  return bearer ?? request.header('x-api-key') ?? undefined;
}

/**
 * Undefined for a missing key and for an invalid one alike: the client must not learn which. `onKey` is called with the digest of
 * each valid API key, and the time.
 */
export function identify(
  keys: ApiKeys,
  verify: Verify | undefined,
  onKey: (digest: string, at: string) => void,
): (request: Incoming) => Soon<Identity> {
  function byKey(key: string): Soon<Caller | undefined> {
    const digest = digestOf(key);
    const now = new Date().toISOString();
    return soon(keys.find(digest), (found) => {
      const caller = found === undefined || !isActive(found, now) ? undefined : callerOf(found);
      if (caller !== undefined) onKey(digest, now);
      return caller;
    });
  }

  return (request) => {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    // A JWT has dots, and an API key has none.
    return verify !== undefined && token.includes('.') ? verify(token).catch(failureIn) : byKey(token);
  };
}

function failureIn(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

function callerOf({ id, name, scope, collections, role, claims, expiresAt }: ApiKey): Caller {
  const expiry = expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) };
  return { id, name, scope, collections, ...(role === undefined ? {} : { role, claims: claims ?? {} }), ...expiry };
}

export function unauthorized(): Failure {
  return new Failure('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer realm="shelf"' } });
}

/** Throws `unauthorized` or `forbidden`. */
export function requireScope(caller: Caller | undefined, needed: Scope, collection: string | undefined): void {
  if (caller === undefined) throw unauthorized();
  if (may(caller, needed, collection)) return;
  const on = collection === undefined ? '' : ` on ${collection}`;
  throw new Failure('forbidden', { detail: `This key lacks the scope ${needed}${on}.` });
}
