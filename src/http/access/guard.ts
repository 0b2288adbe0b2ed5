/** What a request passes before it is handled: who sends it, whether they may, and how much they have asked for. */

import { type ApiKeys, counts } from '../../domain/api-keys.ts';
import { anybody, type Caller, may } from '../../domain/caller.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import type { Ticket } from '../../domain/tickets.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Context } from '../route/context.ts';
import type { Route } from '../route/route.ts';
import { type AuthMode, identify, neededScope, requireScope, tokenOf, type Verify } from './auth.ts';
import { networkOf } from './client-address.ts';
import { Limiter, type Rate } from './rate-limit.ts';
import { ticketIn } from './tickets.ts';
import { ValidKeys } from './valid-keys.ts';

export type GuardOptions = {
  readonly auth: AuthMode;
  readonly keys: ApiKeys;
  readonly verify: Verify | undefined;
  /** At most once for each. */
  takeTicket(text: string): Promise<Ticket | undefined>;
  readonly rate: Rate | undefined;
  addressOf(request: Pick<Incoming, 'peer' | 'header'>): string;
};

type Place = Pick<Route, 'method' | 'access' | 'collection' | 'takesTicket'>;

export class Guard {
  readonly #limiter: Limiter | undefined;
  /** API keys that did not count, by who tried them: looking one up is work as well. */
  readonly #guesses: Limiter | undefined;
  /** Behind a shared address, the wrong keys of one client must not lock out the right key of another. */
  readonly #valid = new ValidKeys();
  /** What those who listen have come with: a ticket is not taken twice, and its key may be revoked. */
  readonly #tickets = new WeakMap<Incoming, Ticket>();
  readonly #callerOf: (request: Incoming) => Soon<Caller | undefined>;

  constructor(readonly options: GuardOptions) {
    const { auth, keys, verify, rate } = options;
    this.#limiter = rate === undefined ? undefined : new Limiter(rate);
    this.#guesses = rate === undefined || auth === 'off' ? undefined : new Limiter(rate);
    this.#callerOf = auth === 'off' ? () => undefined : identify(keys, verify);
  }

  /** Whether it lets everybody do everything. */
  get open(): boolean {
    return this.options.auth === 'off' && this.#limiter === undefined;
  }

  get limited(): boolean {
    return this.#limiter !== undefined;
  }

  needs(route: Pick<Route, 'method' | 'access'>) {
    return neededScope(this.options.auth, route);
  }

  /** Answers whom the handler serves; throws where nobody is to be served. */
  pass(route: Place, request: Incoming, context: Context): Soon<Caller> {
    if (route.access === 'always') return anybody;
    const ticket = route.takesTicket ? ticketIn(request.target) : undefined;
    if (ticket === undefined) this.#requireFewGuesses(request);
    const caller = ticket === undefined ? this.#callerOf(request) : this.#callerWith(ticket, request);
    return soon(caller, (known) => this.#judge(route, request, context, known));
  }

  /** Asked again, of one who stays: a key may be revoked, and a token expire. */
  async stillMay(route: Place, request: Incoming): Promise<boolean> {
    const needed = this.needs(route);
    if (needed === undefined) return true;
    const ticket = this.#tickets.get(request);
    const caller = await (ticket === undefined ? this.#callerOf(request) : this.#callerOfTicket(ticket));
    return caller !== undefined && may(caller, needed, collectionOf(route, caller));
  }

  async #callerWith(text: string, request: Incoming): Promise<Caller | undefined> {
    if (this.options.auth === 'off') return undefined;
    const ticket = await this.options.takeTicket(text);
    if (ticket === undefined) return undefined;
    this.#tickets.set(request, ticket);
    return this.#callerOfTicket(ticket);
  }

  /** Undefined where what the ticket was got with does not count any more. */
  async #callerOfTicket({ caller, keyDigest }: Ticket): Promise<Caller | undefined> {
    if (caller.expiresAt !== undefined && caller.expiresAt <= Date.now()) return undefined;
    if (keyDigest === undefined) return caller;
    const key = await this.options.keys.find(keyDigest);
    return key !== undefined && counts(key, new Date().toISOString()) ? caller : undefined;
  }

  /** For an answer that was not counted: what is left to whoever gets it. */
  told(request: Pick<Incoming, 'peer' | 'header'>): Context['headers'] {
    return this.#limiter?.look(this.#network(request), performance.now());
  }

  /** Counts what is no request; throws where it is one too many. */
  count(request: Pick<Incoming, 'peer' | 'header'>): Context['headers'] {
    return this.#limiter?.take(this.#network(request), performance.now());
  }

  /** Throws `rate_limited` where too many keys from this address did not count, unless this one has. */
  #requireFewGuesses(request: Incoming): void {
    const token = this.#guesses === undefined ? undefined : tokenOf(request);
    if (token === undefined) return;
    const now = performance.now();
    try {
      this.#guesses?.look(this.#network(request), now);
    } catch (error) {
      if (!this.#valid.has(token, now)) throw error;
    }
  }

  /** Throws `rate_limited` where it was a guess too many. */
  #noteGuess(request: Incoming, counts: boolean, now: number): void {
    const token = this.#guesses === undefined ? undefined : tokenOf(request);
    if (token === undefined) return;
    if (counts) {
      this.#valid.add(token, now);
      return;
    }
    this.#valid.remove(token);
    this.#guesses?.take(this.#network(request), now);
  }

  #judge(route: Place, request: Incoming, context: Context, caller: Caller | undefined): Caller {
    context.caller = caller;
    const now = performance.now();
    this.#noteGuess(request, caller !== undefined, now);
    // A key that does not count is counted against the address that tries it.
    const client = caller === undefined ? this.#network(request) : `key ${caller.id}`;
    context.headers = this.#limiter?.take(client, now);
    const needed = this.needs(route);
    if (needed === undefined) return anybody;
    requireScope(caller, needed, collectionOf(route, caller));
    return caller ?? anybody;
  }

  #network(request: Pick<Incoming, 'peer' | 'header'>): string {
    return networkOf(this.options.addressOf(request));
  }
}

/** Where the query names it, the handler judges that; whoever may see one may come so far. */
function collectionOf({ collection }: Place, caller: Caller | undefined): string | undefined {
  return collection === 'by query' ? caller?.collections?.[0] : collection;
}
