/** What a request passes before it is handled: who sends it, whether they may, and how much they have asked for. */
import { anybody, type Caller } from '../domain/caller.ts';
import type { Keys } from '../domain/keys.ts';
import type { Incoming } from '../wire/incoming.ts';
import { networkOf } from './address.ts';
import { type AuthMode, identify, neededScope, requireScope, type Verify } from './auth.ts';
import type { Limiter } from './limit.ts';
import type { Context } from './observe.ts';
import type { Route } from './route.ts';

export type GuardOptions = {
  readonly auth: AuthMode;
  readonly keys: Keys;
  readonly verify: Verify | undefined;
  readonly limiter: Limiter | undefined;
  addressOf(request: Incoming): string;
};

type Place = Pick<Route, 'method' | 'access' | 'collection'>;

/** Answers whom the handler serves; throws where nobody is to be served. */
export type Guard = (route: Place, request: Incoming, context: Context) => Caller | Promise<Caller>;

/** Undefined where everybody may do everything. */
export function guardOf({ auth, keys, verify, limiter, addressOf }: GuardOptions): Guard | undefined {
  if (auth === 'off' && limiter === undefined) return undefined;
  const callerOf = auth === 'off' ? () => undefined : identify(keys, verify);

  function judge(route: Place, request: Incoming, context: Context, caller: Caller | undefined): Caller {
    context.caller = caller;
    // A key that does not count is counted against the address that tries it.
    const client = caller === undefined ? networkOf(addressOf(request)) : `key ${caller.id}`;
    if (limiter !== undefined) context.headers = limiter.take(client, Date.now());
    const needed = neededScope(auth, route);
    if (needed === undefined) return anybody;
    const collection = route.collection === 'by query' ? caller?.collections?.[0] : route.collection;
    requireScope(caller, needed, collection);
    return caller ?? anybody;
  }

  return (route, request, context) => {
    if (route.access === 'always') return anybody;
    const caller = callerOf(request);
    return caller instanceof Promise
      ? caller.then((known) => judge(route, request, context, known))
      : judge(route, request, context, caller);
  };
}
