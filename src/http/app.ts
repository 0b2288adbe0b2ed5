/** The whole service over HTTP: the one place that lists what a request passes through, in order. */
import { anybody, type Caller } from '../domain/caller.ts';
import type { Collection } from '../domain/collection.ts';
import { Failure } from '../domain/errors.ts';
import { Shares } from '../domain/shares.ts';
import { type Soon, soon } from '../domain/soon.ts';
import type { Asker, Store } from '../domain/store.ts';
import type { Handlers, Load } from '../wire/handlers.ts';
import type { Incoming, Peer } from '../wire/incoming.ts';
import type { Reply } from '../wire/reply.ts';
import type { AuthMode, Verify } from './access/auth.ts';
import { clientAddress, networkOf, type Range } from './access/client-address.ts';
import { corsOf } from './access/cors.ts';
import { Guard } from './access/guard.ts';
import { doorOf } from './access/host-and-origin.ts';
import type { Rate } from './access/rate-limit.ts';
import { takeTicket, ticketRoute } from './access/tickets.ts';
import { Bodies } from './body/json-body.ts';
import { type Ageing, ageingHeaders } from './contract/deprecation.ts';
import { contractRoutes } from './contract/routes.ts';
import { changeEncoder, changesRoute } from './feed/changes.ts';
import { eventsRoute } from './feed/events.ts';
import { Feed } from './feed/feed.ts';
import { type Metrics, metricsRoute, storeFigures } from './observe/metrics.ts';
import { type Answers, type Level, type Log, observed } from './observe/request-log.ts';
import type { Context } from './route/context.ts';
import { problem } from './route/problem.ts';
import { empty, failure, headersOf } from './route/reply.ts';
import { type Call, type Match, type Route, routeTable } from './route/route.ts';
import { apiIndexRoutes } from './site/api-index.ts';
import { docsRoutes } from './site/docs.ts';
import { healthRoutes } from './site/health.ts';
import { openapiRoute, type Tag } from './site/openapi.ts';
import { iconRoute } from './site/page.ts';
import { problemRoute } from './site/problem-pages.ts';
import { startRoute } from './site/start.ts';
import { v2Routes } from './v2/records.ts';

export type Deps = {
  readonly collections: readonly Collection[];
  readonly store: Store;
  readonly version: string;
  readonly log: Log;
  readonly logLevel: Level;
  readonly slow: number;
  readonly maxBody: number;
  readonly maxBulk: number;
  readonly maxRequests: number;
  readonly maxListeners: number;
  /** What the connections have in hand. */
  readonly load: Load;
  readonly keysKept: number;
  readonly auth: AuthMode;
  /** Takes tokens beside keys; undefined where none are taken. */
  readonly verify: Verify | undefined;
  readonly rate: Rate | undefined;
  readonly proxies: readonly Range[];
  readonly origins: readonly string[];
  /** Names that are served beside those of loopback; undefined where all are. */
  readonly hosts: readonly string[] | undefined;
  readonly metrics: Metrics | undefined;
} & Ageing;

export type App = {
  readonly routes: readonly Route[];
  readonly handlers: Handlers;
  /** Resolves when its thread runs; rejects with a StartError when it cannot. */
  readonly ready: Promise<void>;
  /** From now on `/readyz` fails, and everything else is served as before. */
  drain(): void;
  /** Lets go of what it has started. */
  close(): Promise<void>;
};

/** With so many bytes in hand, of bodies and of answers, nothing more is taken on. */
const maxHeld = 512 * 1024 * 1024;

/** What is sent with any other is not read. */
const takesBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** What is asked for where there is nothing: it counts as a request all the same. */
const nowhere: Pick<Route, 'method' | 'path' | 'access' | 'collection' | 'takesTicket'> = {
  method: 'GET',
  path: '',
  access: 'open',
};

export function createApp(deps: Deps): App {
  const { collections, store, version, log, maxRequests, load, auth, metrics } = deps;
  const report = (requestId: string) => (error: unknown) =>
    log({ level: 'error', event: 'error', request_id: requestId, error });
  const feed = new Feed(store, changeEncoder(collections), report(''));
  const addressOf = clientAddress(deps.proxies);
  const clientOf = (request: Incoming) => networkOf(addressOf(request));
  const guard = new Guard({
    ...deps,
    keys: store.keys,
    takeTicket: (ticket) => takeTicket(store, ticket),
    addressOf,
  });
  const aged = ageingHeaders(deps, collections);
  const cors = deps.origins.length === 0 ? undefined : corsOf(deps.origins);
  const door = doorOf(deps);
  const bodies = new Bodies(deps.maxBody);
  const slots = new Shares(maxRequests, clientOf);
  let stopping = false;

  const routes: Route[] = [
    ...collections.flatMap((collection) => contractRoutes(collection, { store, bodies, prefix: '/api' })),
    ...collections.flatMap((collection) =>
      contractRoutes(collection, { store, bodies, prefix: '/api/v1', version: 'v1' }),
    ),
    ...collections.flatMap((collection) => v2Routes(collection, { ...deps, bodies })),
    changesRoute(collections, store),
    eventsRoute(collections, feed, deps.maxListeners),
    ticketRoute(store, auth),
    problemRoute(),
    ...apiIndexRoutes(collections, version),
    startRoute(collections, store, version, auth),
    openapiRoute(() => routes, {
      version,
      tags: tagsOf(collections),
      collections,
      limited: guard.limited,
      needs: (route) => guard.needs(route),
      aged,
    }),
    ...docsRoutes(),
    iconRoute(),
    ...healthRoutes(store, { isStopping: () => stopping, check: () => bodies.check() }),
    ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
  ];
  const match = routeTable(routes);
  const allMethods = ['OPTIONS', 'HEAD', ...new Set(routes.map(({ method }) => method))].join(', ');

  metrics?.add(
    ...storeFigures(store, collections),
    {
      name: 'shelf_http_requests_under_way',
      help: 'Requests that have arrived and are not answered yet.',
      read: () => [{ value: slots.used }],
    },
    { name: 'shelf_connections', help: 'Connections open.', read: () => [{ value: load.connections }] },
    { name: 'shelf_held_bytes', help: 'Bytes of bodies and answers under way.', read: () => [{ value: load.held }] },
    { name: 'shelf_listeners', help: 'Listeners to the live feed.', read: () => [{ value: feed.listeners }] },
  );

  /** An object of its own for each request would be three, with its functions. */
  class OneCall implements Call {
    constructor(
      readonly request: Incoming,
      readonly route: Route,
      readonly argument: string,
      readonly caller: Caller,
      readonly requestId: string,
    ) {}

    get search(): string {
      const { target } = this.request;
      const start = target.indexOf('?');
      return start < 0 ? '' : target.slice(start + 1);
    }

    get client(): string {
      return clientOf(this.request);
    }

    get asker(): Asker {
      return { client: this.client, signal: this.request.signal };
    }

    stillMay(): Promise<boolean> {
      return guard.stillMay(this.route, this.request);
    }

    report(error: unknown): void {
      report(this.requestId)(error);
    }
  }

  function handle(request: Incoming, found: Match, { requestId }: Context, caller: Caller): Soon<Reply> {
    if (found.kind === 'route') {
      return found.route.handle(new OneCall(request, found.route, found.argument, caller, requestId));
    }
    if (found.kind === 'nothing') {
      // Of the server as a whole; no other method comes with a star.
      if (request.target === '*') return empty(204, { Allow: allMethods });
      throw new Failure('unknown_path');
    }
    const { allow, patchTypes } = found;
    if (request.method === 'OPTIONS') {
      return empty(204, {
        Allow: allow,
        ...(patchTypes.length === 0 ? {} : { 'Accept-Patch': patchTypes.join(', ') }),
      });
    }
    throw new Failure('method_not_allowed', {
      detail: `This path does not take ${request.method}: it takes ${allow}.`,
      headers: { Allow: allow },
    });
  }

  function answer(request: Incoming, context: Context): Soon<Reply> {
    const found = match(request.method, context.path);
    const route = found.kind === 'route' ? found.route : nowhere;
    context.route = route.path;
    if (auth !== 'off') context.private = route.access !== 'open' && route.access !== 'always';
    if (route.access !== 'always') requireRoom(request);
    const refusal = door(request);
    if (refusal !== undefined) {
      context.headers = guard.count(request);
      throw refusal;
    }
    if (guard.open) return handle(request, found, context, anybody);
    return soon(guard.pass(route, request, context), (caller) => handle(request, found, context, caller));
  }

  /** Throws where there is too much to do already. */
  function requireRoom(request: Incoming): void {
    if (!request.peer.extra && load.held < maxHeld && slots.hasRoom(request)) return;
    throw overloaded();
  }

  /** A client that is slow to send its body takes nobody's place: the request counts once the body is here. */
  function count(request: Incoming, context: Context): void {
    const { body, method } = request;
    if (body.done || !takesBody.has(method)) context.slot = slots.take(request);
    else
      body.onArrived = () => {
        if (!slots.hasRoom(request)) return overloaded();
        context.slot = slots.take(request);
        return undefined;
      };
  }

  function uncount({ body }: Incoming, context: Context): void {
    // One without a body shares it with all others.
    if (body.onArrived !== undefined) body.onArrived = undefined;
    if (context.slot !== undefined) slots.giveBack(context.slot);
  }

  /** With what an answer under this path says beside itself. */
  function whole(reply: Reply, request: Incoming, { path }: Context): Reply {
    const headers = aged(path);
    const told = headers === undefined ? reply : { ...reply, headers: { ...headers, ...reply.headers } };
    return cors === undefined ? told : cors(request, told);
  }

  function failed(error: unknown, request: Incoming, context: Context): Reply {
    const { requestId, path } = context;
    const known = error instanceof Failure ? error : new Failure('internal');
    if (known.status >= 500) {
      metrics?.error(known.code);
      // That there is too much to do needs no second line each time.
      if (known.code !== 'overloaded') report(requestId)(error);
    }
    if (guard.limited && context.headers === undefined && known.code !== 'rate_limited') {
      context.headers = toldOr(() => guard.told(request));
    }
    return /^\/api\/v2(?:\/|$)/.test(path) ? problem(known, path) : failure(known);
  }

  const respond: Answers['respond'] = (request, context, finish) => {
    const done = (reply: Reply) => finish(whole(reply, request, context), context, request);
    let answered: Soon<Reply>;
    try {
      answered = answer(request, context);
    } catch (error) {
      return done(failed(error, request, context));
    }
    if (!(answered instanceof Promise)) return done(answered);
    count(request, context);
    return answered.then(
      (reply) => {
        uncount(request, context);
        return done(reply);
      },
      (error) => {
        uncount(request, context);
        return done(failed(error, request, context));
      },
    );
  };

  /** What only reads has changed nothing; of what does not, nobody can tell yet. */
  function late(request: Incoming, context: Context): Reply {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const why = reads ? new Failure('timed_out') : new Failure('outcome_unknown');
    return whole(failed(why, request, context), request, context);
  }

  /** To what is no request; it counts as one all the same. */
  function refused(why: Failure, peer: Peer): Reply {
    try {
      const reply = failure(why);
      return { ...reply, headers: { ...reply.headers, ...guard.count({ peer, header: () => null }) } };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return failure(error);
    }
  }

  const options = { ...deps, addressOf, underWay: () => slots.used, count: metrics?.request.bind(metrics) };
  return {
    routes,
    ready: bodies.ready,
    handlers: observed(options, { respond, late, refused }),
    drain: () => {
      stopping = true;
    },
    close: () => bodies.close(),
  };
}

function overloaded(): Failure {
  return new Failure('overloaded');
}

/** What a client is told of its limit, also where that is all that is left to tell. */
function toldOr(told: () => Context['headers']): Context['headers'] {
  try {
    return told();
  } catch (error) {
    return error instanceof Failure ? headersOf(error) : undefined;
  }
}

function tagsOf(collections: readonly Collection[]): Tag[] {
  return [
    ...collections.map(({ name }) => ({ name, description: `The ${name} of the contract.` })),
    ...collections.map(({ name }) => ({ name: `v2 ${name}`, description: `The ${name}, for production.` })),
    { name: 'v2 changes', description: 'What has changed, in order.' },
    { name: 'v1', description: 'The same operations under their version.' },
    { name: 'service', description: 'For operators and tools.' },
  ];
}
