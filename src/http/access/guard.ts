/** The checks before a request is handled: API key, token or ticket, scope, and rate limit. */

import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { roleOfAnybody } from '../../domain/access/roles.ts';
import { anybody, type Caller, may } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { parametersOf } from '../../domain/input/parameters.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import { type ApiKeys, isActive } from '../../domain/store/api-keys.ts';
import type { Ticket } from '../../domain/store/tickets.ts';
import type { ProcessState } from '../../threads/process-state.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import { processClock } from '../limits/process-clock.ts';
import { Limiter, type Rate } from '../limits/rate-limit.ts';
import type { Context } from '../route/context.ts';
import type { Route } from '../route/route.ts';
import {
  type AuthMode,
  type Identity,
  identify,
  neededScope,
  requireScope,
  tokenOf,
  unauthorized,
  type Verify,
} from './auth.ts';
import { CallerRoles, roleHeader } from './caller-roles.ts';
import { networkOf } from './client-address.ts';
import { KeyUses } from './key-uses.ts';
import { ticketIn } from './tickets.ts';
import { ValidKeys } from './valid-keys.ts';

export type GuardOptions = {
  readonly auth: AuthMode;
  readonly keys: ApiKeys;
  readonly verify: Verify | undefined;
  /** Those of the configuration file; undefined if it has none. */
  readonly roles?: AccessDeclaration['roles'] | undefined;
  /** Redeems a ticket; each at most once. */
  redeemTicket(text: string): Promise<Ticket | undefined>;
  readonly rate: Rate | undefined;
  /** Shared with the other threads of the process. */
  readonly state?: Pick<ProcessState, 'rates' | 'invalidKeys' | 'validKeys'> | undefined;
  addressOf(request: Pick<Incoming, 'peer' | 'header'>): string;
};

type RouteAccess = Pick<Route, 'method' | 'sight' | 'access' | 'collection' | 'takesTicket' | 'adminParameter'>;

export class Guard {
  readonly #limiter: Limiter | undefined;
  /** Limits invalid API keys per network, because looking one up is work too. */
  readonly #invalidKeys: Limiter | undefined;
  /** Behind a shared address, the invalid keys of one client must not lock out the valid key of another. */
  readonly #validKeys: ValidKeys;
  /** The tickets of open feeds, to check them again: a ticket is redeemed only once, and its key may be revoked. */
  readonly #tickets = new WeakMap<Incoming, Ticket>();
  readonly #now: () => number;
  /** When keys were last used. */
  readonly uses: KeyUses;
  readonly #callerOf: (request: Incoming) => Soon<Identity>;
  readonly #roles: CallerRoles | undefined;

  constructor(readonly options: GuardOptions) {
    const { auth, keys, roles, rate, state } = options;
    this.#roles = roles === undefined ? undefined : new CallerRoles(roles);
    const verify = options.verify && this.#inRoles(options.verify);
    this.uses = new KeyUses(keys);
    this.#limiter = rate === undefined ? undefined : new Limiter(rate, state?.rates);
    this.#invalidKeys = rate === undefined || auth === 'off' ? undefined : new Limiter(rate, state?.invalidKeys);
    this.#validKeys = new ValidKeys(state?.validKeys);
    this.#now = rate === undefined ? () => performance.now() : processClock();
    this.#callerOf =
      auth === 'off' ? () => undefined : identify(keys, verify, (digest, at) => this.uses.note(digest, at));
  }

  /** There is nothing to check: no auth and no rate limit. */
  get open(): boolean {
    return this.options.auth === 'off' && this.#limiter === undefined;
  }

  get limited(): boolean {
    return this.#limiter !== undefined;
  }

  needs(route: Pick<Route, 'method' | 'access'>) {
    return neededScope(authModeOf(this.options), route);
  }

  /** A token without a scope and without a role may do nothing, and is invalid. */
  #inRoles(verify: Verify): Verify {
    return async (token) => {
      const caller = await verify(token);
      if (caller === undefined || caller.role !== undefined) return caller;
      if (this.#roles !== undefined) return this.#roles.ofToken(caller);
      return caller.scope === undefined ? undefined : caller;
    };
  }

  /** Returns the caller; throws `unauthorized`, `forbidden` or `rate_limited`. */
  pass(route: RouteAccess, request: Incoming, context: Context): Soon<Caller> {
    if (route.access === 'always') return anybody;
    const ticket = route.takesTicket ? ticketIn(request.target) : undefined;
    if (ticket === undefined) this.#requireFewInvalidKeys(request);
    const caller = ticket === undefined ? this.#callerOf(request) : this.#redeem(ticket, request);
    return soon(caller, (known) => this.#authorize(route, request, context, known));
  }

  /** Checks a long-lived request again: its key may be revoked, or its token expired. */
  async stillMay(route: RouteAccess, request: Incoming): Promise<boolean> {
    const needed = this.needs(route);
    if (needed === undefined && this.#roles === undefined) return true;
    const ticket = this.#tickets.get(request);
    const caller = await (ticket === undefined ? this.#callerOf(request) : this.#callerOfTicket(ticket));
    if (caller instanceof Failure) return false;
    try {
      const acting = this.#acting(caller, request, ticket !== undefined);
      if (acting?.role !== undefined) return route.sight !== 'scope only';
      return needed === undefined || (acting !== undefined && may(acting, needed, collectionOf(route, acting)));
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }

  async #redeem(text: string, request: Incoming): Promise<Caller | undefined> {
    if (this.options.auth === 'off') return undefined;
    const ticket = await this.options.redeemTicket(text);
    if (ticket === undefined) return undefined;
    this.#tickets.set(request, ticket);
    return this.#callerOfTicket(ticket);
  }

  /** Undefined if the key or token that the ticket was issued for is no longer valid. */
  async #callerOfTicket({ caller, keyDigest }: Ticket): Promise<Caller | undefined> {
    if (caller.expiresAt !== undefined && caller.expiresAt <= Date.now()) return undefined;
    if (keyDigest === undefined) return caller;
    const key = await this.options.keys.find(keyDigest);
    return key !== undefined && isActive(key, new Date().toISOString()) ? caller : undefined;
  }

  /** The rate limit headers of an answer that was not counted. Throws `rate_limited`. */
  limitHeaders(request: Pick<Incoming, 'peer' | 'header'>): Context['headers'] {
    return this.#limiter?.look(this.#network(request), this.#now());
  }

  /** Counts a request, or input that is none, that is refused before `pass`. Throws `rate_limited`. */
  count(request: Pick<Incoming, 'peer' | 'header'>): Context['headers'] {
    return this.#limiter?.take(this.#network(request), this.#now());
  }

  /** Throws `rate_limited` after too many invalid keys from this network, unless this key was valid recently. */
  #requireFewInvalidKeys(request: Incoming): void {
    const token = this.#invalidKeys === undefined ? undefined : tokenOf(request);
    if (token === undefined) return;
    const now = this.#now();
    try {
      this.#invalidKeys?.look(this.#network(request), now);
    } catch (error) {
      if (!this.#validKeys.has(token, now)) throw error;
    }
  }

  /** Throws `rate_limited` if this is one invalid key too many. */
  #noteKey(request: Incoming, isValid: boolean, now: number): void {
    const token = this.#invalidKeys === undefined ? undefined : tokenOf(request);
    if (token === undefined) return;
    if (isValid) {
      this.#validKeys.add(token, now);
      return;
    }
    this.#validKeys.remove(token);
    this.#invalidKeys?.take(this.#network(request), now);
  }

  #authorize(route: RouteAccess, request: Incoming, context: Context, identity: Identity): Caller {
    const unchecked = identity instanceof Failure ? identity : undefined;
    const caller = identity instanceof Failure ? undefined : identity;
    context.caller = caller;
    const now = this.#now();
    if (unchecked === undefined) this.#noteKey(request, caller !== undefined, now);
    // An invalid key counts against the network that sends it.
    const isUnknown = caller === undefined || caller.id === '';
    const client = isUnknown ? this.#network(request) : `key ${caller.id}`;
    context.headers = this.#limiter?.take(client, now);
    if (route.access === 'open') return this.#atOpen(request, caller);
    if (unchecked !== undefined && this.#roles !== undefined) throw unchecked;
    const acting = this.#acting(caller, request, route.takesTicket === true && ticketIn(request.target) !== undefined);
    context.caller = acting;
    if (acting?.role !== undefined) {
      requireSight(route, request, acting);
      return acting;
    }
    if (route.access === 'anybody' && this.options.auth !== 'off') {
      if (caller === undefined && tokenOf(request) !== undefined) throw unchecked ?? unauthorized();
      return acting ?? anybody;
    }
    const needed = asksAsAdmin(route, request) && this.options.auth !== 'off' ? 'admin' : this.needs(route);
    if (needed === undefined) return anybody;
    if (unchecked !== undefined) throw unchecked;
    requireScope(acting, needed, collectionOf(route, acting));
    return acting ?? anybody;
  }

  /** A page is the same for all callers; a path that lacks the method of the request exists for some of them only. */
  #atOpen(request: Incoming, caller: Caller | undefined): Caller {
    // A preflight has no key, whoever asks.
    if (caller === undefined && request.method === 'OPTIONS') return anybody;
    const acting = caller === undefined ? this.#roles?.anonymous : this.#acting(caller, request, false);
    return acting?.role === undefined ? anybody : acting;
  }

  /** Throws `unauthorized` for an invalid key where roles are, `forbidden` for a role that is not the caller's. */
  #acting(caller: Caller | undefined, request: Incoming, isTicket: boolean): Caller | undefined {
    if (this.#roles === undefined) return caller;
    // Without its key it would get more than its role, or less.
    if (caller === undefined && (isTicket || tokenOf(request) !== undefined)) throw unauthorized();
    // A ticket has the role that it was issued in.
    return this.#roles.acting(caller, isTicket ? null : request.header(roleHeader.toLowerCase()));
  }

  #network(request: Pick<Incoming, 'peer' | 'header'>): string {
    return networkOf(this.options.addressOf(request));
  }
}

/** For a caller with a role, whose rules the handler applies. Throws `forbidden`. */
function requireSight(route: RouteAccess, request: Incoming, { role }: Caller): void {
  if (route.sight !== 'scope only' && route.access !== 'admin' && !asksAsAdmin(route, request)) return;
  throw new Failure('forbidden', {
    detail: `The role ${role ?? ''} may not do this: it needs a key with the scope admin.`,
  });
}

/** Requests without a key act in a role in either mode: those that need a key otherwise need one with --auth write, too. */
export function authModeOf({ auth, roles }: Pick<GuardOptions, 'auth' | 'roles'>): AuthMode {
  return auth === 'write' && roles !== undefined && roleOfAnybody(roles) !== undefined ? 'all' : auth;
}

/** If the query or the body names the collection, the handler checks it; here, access to any collection is enough. */
function collectionOf({ collection }: RouteAccess, caller: Caller | undefined): string | undefined {
  return collection === 'by query' ? caller?.collections?.[0] : collection;
}

/** Whether the query has the route's parameter for administrators. Most queries do not, and are not parsed for it. */
function asksAsAdmin({ adminParameter: name }: RouteAccess, { target }: Incoming): boolean {
  const at = name === undefined ? -1 : target.indexOf('?');
  if (name === undefined || at < 0 || !(target.includes(name, at) || target.includes('%', at))) return false;
  return parametersOf(target.slice(at + 1)).some(([given]) => given === name);
}
