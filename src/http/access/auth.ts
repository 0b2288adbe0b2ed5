/** Who sends a request, and whether they may. */
import { timingSafeEqual } from 'node:crypto';
import { type ApiKeys, counts } from '../../domain/api-keys.ts';
import { type Caller, may, type Scope } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Route } from '../route/route.ts';

/** What needs a key: nothing, changes, or everything. */
export const authModes = ['off', 'write', 'all'] as const;
export type AuthMode = (typeof authModes)[number];

/** Undefined where the token is none that is taken here. */
export type Verify = (token: string) => Promise<Caller | undefined>;

/** What a key is known by. It is as random as can be, so no salt would make it harder to find. */
export function digestOf(key: string): string {
  return new Bun.CryptoHasher('sha256').update(key).digest('hex');
}

/** What a request to this route needs; undefined where anybody may. */
export function neededScope(mode: AuthMode, { method, access }: Pick<Route, 'method' | 'access'>): Scope | undefined {
  if (mode === 'off' || access === 'open' || access === 'always') return undefined;
  if (access === 'admin') return 'admin';
  if (method !== 'GET' && access !== 'read') return 'write';
  return mode === 'all' ? 'read' : undefined;
}

/** The key or token as it was sent; undefined where none was. */
export function tokenOf(request: Incoming): string | undefined {
  const bearer = /^Bearer +([!-~]+)$/i.exec(request.header('authorization') ?? '')?.[1];
  return bearer ?? request.header('x-api-key') ?? undefined;
}

/** Undefined where no key was sent, or one that does not count; nobody is told which. */
export function identify(keys: ApiKeys, verify: Verify | undefined): (request: Incoming) => Soon<Caller | undefined> {
  function byKey(key: string): Soon<Caller | undefined> {
    const digest = digestOf(key);
    return soon(keys.find(digest), (found) => callerOf(found, digest));
  }

  return (request) => {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    // A token has dots in it, and a key has none.
    return verify !== undefined && token.includes('.') ? verify(token) : byKey(token);
  };
}

function callerOf(key: Awaited<ReturnType<ApiKeys['find']>>, digest: string): Caller | undefined {
  if (key === undefined || !timingSafeEqual(Buffer.from(key.digest), Buffer.from(digest))) return undefined;
  if (!counts(key, new Date().toISOString())) return undefined;
  const { id, name, scope, collections } = key;
  return { id, name, scope, collections };
}

/** Throws `unauthorized` or `forbidden`. */
export function requireScope(caller: Caller | undefined, needed: Scope, collection: string | undefined): void {
  if (caller === undefined) {
    throw new Failure('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer realm="shelf"' } });
  }
  if (may(caller, needed, collection)) return;
  const on = collection === undefined ? '' : ` on ${collection}`;
  throw new Failure('forbidden', { detail: `This key lacks the scope ${needed}${on}.` });
}
