/** The stages that every request passes, in order, and the answer to a failure in any of them. */
import type { BoundAccess } from '../domain/access/bound-access.ts';
import { anybody, type Caller } from '../domain/caller.ts';
import { Failure, type FailureCode } from '../domain/errors.ts';
import { requireNoParameters } from '../domain/input/parameters.ts';
import { type Soon, soon } from '../domain/soon.ts';
import type { Client, Requester } from '../domain/store/client.ts';
import type { Trace } from '../domain/trace.ts';
import { isParts, type Reply } from '../wire/answer/reply.ts';
import type { Holdable } from '../wire/handlers.ts';
import type { Incoming, Peer } from '../wire/request/incoming.ts';
import type { Guard } from './access/guard.ts';
import type { InFlight } from './limits/in-flight.ts';
import type { OpenAnswers } from './limits/open-answers.ts';
import { loggedParts } from './observe/logged-parts.ts';
import type { Observer } from './observe/observer.ts';
import type { Context } from './route/context.ts';
import { problem } from './route/problem.ts';
import { empty, failure, headersOf } from './route/reply.ts';
import type { Call, Route } from './route/route.ts';
import type { Acting } from './route/sight.ts';
import type { Match } from './route/table.ts';

export type Stages = {
  readonly observer: Observer;
  match(method: string, path: string): Match;
  /** For `OPTIONS *`. */
  readonly allMethods: string;
  /** `GET /` lists the paths. */
  readonly hasIndex: boolean;
  readonly inFlight: InFlight;
  readonly open: OpenAnswers;
  /** Returns the reason to refuse a request for its Host or Origin. */
  checkOrigin(request: Incoming): Failure | undefined;
  readonly guard: Guard;
  /** The rules of a caller with a role. Throws `forbidden` if there are none. */
  bind(caller: Caller): BoundAccess;
  /** Answers may be for one caller only, and must not be kept by a shared cache. */
  readonly hasCallers: boolean;
  /** Adds the headers that depend on the path and the origin. */
  decorate(reply: Reply, request: Incoming, path: string): Reply;
  clientOf(request: Incoming): Client;
  report(requestId: string, error: unknown): void;
  /** Counts a failure. */
  failed(code: FailureCode, isServerError: boolean): void;
};

/** Failures of the server that have no log entry of their own. */
const unlogged: readonly FailureCode[] = ['overloaded', 'issuer_unavailable'];

/** Counts as a request, too. */
const nowhere: Pick<Route, 'method' | 'sight' | 'path' | 'access' | 'collection' | 'takesTicket'> = {
  method: 'GET',
  sight: 'open',
  path: '',
  access: 'open',
};

const nothing: Match = { kind: 'nothing' };

export function createPipeline(stages: Stages): Holdable {
  const { observer, match, inFlight, open, checkOrigin, guard, hasCallers, decorate, clientOf, report } = stages;

  /** A class: an object literal would create three closures per request. */
  class RoutedCall implements Call {
    constructor(
      readonly request: Incoming,
      readonly route: Route,
      readonly argument: string,
      readonly caller: Caller,
      readonly requestId: string,
      readonly trace: Trace | undefined,
    ) {}

    get search(): string {
      const { target } = this.request;
      const start = target.indexOf('?');
      return start < 0 ? '' : target.slice(start + 1);
    }

    get client(): Client {
      return clientOf(this.request);
    }

    /** The call itself: to make its signal takes longer than to read a page from memory. */
    get requester(): Requester {
      return this;
    }

    get signal(): AbortSignal {
      return this.request.signal;
    }

    #access: { readonly bound: BoundAccess | undefined } | undefined;
    /** Bound once, so that a whole request has one moment. */
    get access(): BoundAccess | undefined {
      const { caller } = this;
      if (caller.scope !== undefined) return undefined;
      this.#access ??= { bound: stages.bind(caller) };
      return this.#access.bound;
    }

    stillMay(): Promise<boolean> {
      return guard.stillMay(this.route, this.request);
    }
  }

  function pass(request: Incoming, context: Context): Soon<Reply> {
    const found = match(request.method, context.path);
    const route = found.kind === 'route' ? found.route : nowhere;
    context.route = route.path;
    context.private = hasCallers && route.access !== 'open' && route.access !== 'always';
    if (route.access !== 'always') inFlight.requireRoom(request);
    const refusal = checkOrigin(request);
    if (refusal !== undefined) {
      context.headers = guard.count(request);
      throw refusal;
    }
    if (guard.open) return handle(request, found, context, anybody);
    return soon(guard.pass(route, request, context), (caller) => handle(request, found, context, caller));
  }

  /** A collection without a rule for the role does not exist, and neither do its paths. */
  function exists(collection: string | undefined, { access }: Acting): boolean {
    return collection === undefined || collection === 'by query' || access?.viewOf({ name: collection }) !== undefined;
  }

  function handle(request: Incoming, found: Match, context: Context, caller: Caller): Soon<Reply> {
    const { requestId } = context;
    if (found.kind === 'route') {
      const { route, argument } = found;
      const call = new RoutedCall(request, route, argument, caller, requestId, context.trace);
      if (caller.scope === undefined && !exists(route.collection, call))
        return handle(request, nothing, context, caller);
      // Routes with parameters check them in their handlers; the contract's ignore the query.
      const takesNone =
        route.operation?.problems === true && route.operation.queries === undefined && !route.readsQuery;
      if (takesNone) requireNoParameters(call.search);
      return route.handle(call);
    }
    if (found.kind === 'nothing') {
      // Asks about the server as a whole; no other method comes with a star.
      if (request.target === '*') return empty(204, { Allow: stages.allMethods });
      throw new Failure('unknown_path', stages.hasIndex ? {} : { detail: 'Unknown path.' });
    }
    const { allow, patchTypes, collection } = found;
    if (caller.scope === undefined && !exists(collection, { access: stages.bind(caller) }))
      return handle(request, nothing, context, caller);
    if (request.method === 'OPTIONS') {
      return empty(204, {
        Allow: allow,
        ...(patchTypes.length === 0 ? {} : { 'Accept-Patch': patchTypes.join(', ') }),
      });
    }
    throw new Failure('method_not_allowed', {
      detail: `The method ${request.method} is not allowed on this path; allowed: ${allow}.`,
      headers: { Allow: allow },
    });
  }

  function finished(reply: Reply, request: Incoming, context: Context): Reply {
    return observer.finish(decorate(logged(reply, context), request, context.path), context, request);
  }

  function logged(reply: Reply, { requestId }: Context): Reply {
    const { body } = reply;
    if (!isParts(body) || 'live' in body) return reply;
    return { ...reply, body: open.sending(loggedParts(body, (error) => logFailure(requestId, error))) };
  }

  /**
   * Failures of clients are in the request log. Under overload, one more line per request would add to the load, and an issuer that does
   * not answer has a line of its own.
   */
  function logFailure(requestId: string, error: unknown): void {
    if (error instanceof Failure && (error.status < 500 || unlogged.includes(error.code))) return;
    report(requestId, error);
  }

  function failed(error: unknown, request: Incoming, context: Context): Reply {
    const { requestId, path } = context;
    const known = error instanceof Failure ? error : new Failure('internal');
    context.failure = known.code;
    stages.failed(known.code, known.status >= 500);
    logFailure(requestId, error);
    if (guard.limited && context.headers === undefined && known.code !== 'rate_limited') {
      context.headers = limitsFor(request);
    }
    // The route's path: that of the request may be percent-encoded.
    const isV2 = /^\/api\/v2(?:\/|$)/.test(context.route === '' ? path : context.route);
    const reply = isV2 ? problem(known, path) : failure(known);
    return finished(reply, request, context);
  }

  /** The rate limit headers of an answer that was not counted. */
  function limitsFor(request: Incoming): Context['headers'] {
    try {
      return guard.limitHeaders(request);
    } catch (error) {
      return error instanceof Failure ? headersOf(error) : undefined;
    }
  }

  return {
    answer(request, send) {
      const context = observer.begin(request);
      let answered: Soon<Reply>;
      try {
        answered = pass(request, context);
      } catch (error) {
        return failed(error, request, context);
      }
      if (!(answered instanceof Promise)) return finished(answered, request, context);
      inFlight.enter(request, context);
      open.enter();
      answered.then(
        (reply) => {
          inFlight.leave(request, context);
          open.leave();
          send(finished(reply, request, context));
        },
        (error) => {
          inFlight.leave(request, context);
          open.leave();
          send(failed(error, request, context));
        },
      );
      // A read has changed nothing; whether a write has is not known yet.
      const reads = request.method === 'GET' || request.method === 'HEAD';
      return () => failed(new Failure(reads ? 'timed_out' : 'outcome_unknown'), request, context);
    },

    tooLate: (request) => failed(new Failure('timed_out'), request, observer.begin(request)),

    refuse(why: Failure, peer: Peer): Reply {
      stages.failed(why.code, false);
      return observer.finishRefusal(refusal(why, peer), peer);
    },

    handshakeFailed: observer.handshakeFailed,
    report: (error) => report('', error),
  };

  /** Input that is not a request counts as one. */
  function refusal(why: Failure, peer: Peer): Reply {
    try {
      const reply = failure(why);
      return { ...reply, headers: { ...reply.headers, ...guard.count({ peer, header: () => null }) } };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return failure(error);
    }
  }
}
