/** Assembles the HTTP service: its routes, and the stages that a request passes. */
import type { CompiledAccess } from '../domain/access/compiled-access.ts';
import type { AccessDeclaration } from '../domain/access/declaration.ts';
import { Failure } from '../domain/errors.ts';
import { type Collection, isReferenced } from '../domain/record/collection.ts';
import type { Client } from '../domain/store/client.ts';
import type { Store } from '../domain/store/store.ts';
import { Shares } from '../threads/limits/shares.ts';
import { newProcessState, type ProcessState } from '../threads/process-state.ts';
import type { Holdable } from '../wire/handlers.ts';
import type { Load } from '../wire/load.ts';
import type { AuthMode, Verify } from './access/auth.ts';
import { clientAddress, type Range, requestClient } from './access/client-address.ts';
import { corsOf } from './access/cors.ts';
import { type DocsMode, describing } from './access/docs-mode.ts';
import { authModeOf, Guard } from './access/guard.ts';
import { originCheck } from './access/host-and-origin.ts';
import type { Issuer } from './access/issuer.ts';
import { meRoute } from './access/me.ts';
import type { SignIns } from './access/sign-ins.ts';
import type { StartedAs } from './access/started-as.ts';
import { redeemTicket, ticketRoute } from './access/tickets.ts';
import { figuresRoute } from './admin/figures.ts';
import { keyRoutes } from './admin/keys.ts';
import { rolesRoute } from './admin/roles.ts';
import { type ServedSettings, settingsRoutes } from './admin/settings.ts';
import { Bodies } from './body/json-body.ts';
import { type Deprecation, deprecationHeaders } from './contract/deprecation.ts';
import { contractRoutes } from './contract/routes.ts';
import { changesRoute } from './feed/changes.ts';
import { encodeChange } from './feed/encode-change.ts';
import { eventsRoute } from './feed/events.ts';
import { LiveFeed } from './feed/live-feed.ts';
import { InFlight } from './limits/in-flight.ts';
import { OpenAnswers } from './limits/open-answers.ts';
import type { Rate } from './limits/rate-limit.ts';
import type { Audit } from './observe/audit.ts';
import type { HourFigures, LastHour, SampleGauges } from './observe/last-hour.ts';
import { gauge, type Metrics } from './observe/metrics.ts';
import { createObserver, type LogOptions } from './observe/observer.ts';
import { storeFigures } from './observe/store-figures.ts';
import type { Telemetry } from './observe/telemetry.ts';
import { createPipeline } from './pipeline.ts';
import { createRedirect } from './redirect.ts';
import type { Route } from './route/route.ts';
import { routeTable } from './route/table.ts';
import { apiIndexRoutes } from './site/api-index.ts';
import { consoleRoutes } from './site/console.ts';
import { docsRoutes } from './site/docs.ts';
import { healthRoutes } from './site/health.ts';
import { metricsRoute } from './site/metrics.ts';
import { openapiRoute } from './site/openapi.ts';
import { lookRoutes } from './site/page.ts';
import { problemRoute } from './site/problem-pages.ts';
import { schemaFileRoute } from './site/schema-file.ts';
import { startRoute } from './site/start.ts';
import { v2Routes } from './v2/records.ts';
import { transactionRoute } from './v2/transactions.ts';

export type Deps = {
  readonly collections: readonly Collection[];
  readonly store: Store;
  readonly version: string;
  /** Absent if nothing is known of it. */
  readonly started?: StartedAs | undefined;
  /** The JSON Schema of the configuration file. */
  readonly configSchema: () => object;
  /** Whether the console is served. */
  readonly console: boolean;
  /** Where people sign in to it; absent if they cannot. */
  readonly signIns?: SignIns | undefined;
  readonly docs: DocsMode;
  readonly access: {
    readonly auth: AuthMode;
    /** The rules of callers with a role; undefined if the file has none. */
    readonly rules?: CompiledAccess | undefined;
    /** Accepts tokens besides API keys; undefined where only keys are accepted. */
    readonly verify: Verify | undefined;
    /** Roles and rules of the configuration file; absent if it has none. */
    readonly declared?: AccessDeclaration | undefined;
    /** Those whose tokens `verify` accepts, and that are asked for their keys. */
    readonly issuers: readonly Issuer[];
    readonly rate: Rate | undefined;
    readonly proxies: readonly Range[];
    readonly origins: readonly string[];
    /** Host names that are served besides those of loopback; undefined to serve all. */
    readonly hosts: readonly string[] | undefined;
  };
  readonly limits: {
    readonly maxBody: number;
    readonly maxBulk: number;
    readonly maxRequests: number;
    readonly maxListeners: number;
  };
  readonly log: LogOptions;
  /** Absent without an audit log. */
  readonly audit?: Audit | undefined;
  /** In milliseconds: how long an Idempotency-Key counts. */
  readonly idempotency: number;
  readonly ageing: Deprecation;
  /** Absent without OpenTelemetry. */
  readonly telemetry?: Telemetry | undefined;
  /** Kept by the wire: connections and bytes. */
  readonly load: Load;
  /** Shared with the other threads of the process that serve; absent if there are none. */
  readonly state?: ProcessState | undefined;
  readonly metrics: Metrics | undefined;
  readonly hour: LastHour;
  /** The samples of the process, if another thread keeps them; those of `hour` if absent. */
  readonly figures?: (() => Promise<HourFigures>) | undefined;
  /** The configuration file. */
  readonly settings: ServedSettings;
  /** Starts the thread for large bodies with the first one. */
  readonly parseWhenNeeded?: boolean | undefined;
};

export type App = {
  readonly routes: readonly Route[];
  readonly handlers: Holdable;
  /** Handlers for plain HTTP that redirect to the port with TLS. */
  redirect(port: () => number): Holdable;
  /** Resolves when its thread runs; rejects with a StartError when it cannot. */
  readonly ready: Promise<void>;
  /** From now on `/readyz` fails, and everything else is served as before. */
  drain(): void;
  /** For the sample of the last hour that ends now. */
  gauges(): Omit<SampleGauges, 'memory_bytes'>;
  /** Stores what was only noted while requests were served: when API keys were last used. */
  settle(): Promise<void>;
  /** Ends its thread. */
  close(): Promise<void>;
  /**
   * Waits for the requests in flight, cuts the answers that are still being sent after `withinMs`, and ends live ones. Returns how many
   * requests have no answer yet; if there are some, live answers go on.
   */
  finish(withinMs: number): Promise<number>;
};

export function createApp(deps: Deps): App {
  const { collections, store, version, access, limits, log, load, metrics, hour, state = newProcessState() } = deps;
  const report = (requestId: string, error: unknown) =>
    log.write({ level: 'error', event: 'error', request_id: requestId, error });
  const addressOf = clientAddress(access.proxies);
  const clientOf = requestClient(access.proxies);
  const guard = new Guard({
    ...access,
    roles: access.declared?.roles,
    keys: store.admin.apiKeys,
    redeemTicket: (ticket) => redeemTicket(store, ticket),
    addressOf,
    state,
  });
  const inFlight = new InFlight(limits.maxRequests, load, clientOf, state.requests);
  const open = new OpenAnswers();
  const listeners = new Shares<Client>(limits.maxListeners, (client) => client, state.listeners);
  const contracted = collections.filter(({ contract }) => contract !== undefined);
  const aged = deprecationHeaders(deps.ageing, contracted);
  const cors = access.origins.length === 0 ? undefined : corsOf(access.origins);
  const bodies = new Bodies(limits.maxBody, state.longWork, deps.parseWhenNeeded);
  const feed = new LiveFeed(store.feed, encodeChange, (error) => report('', error), listeners);
  let draining = false;
  // A browser sends no key for a page.
  const hasPages = deps.docs === 'on';
  // Without the declarations it could show nothing.
  const hasConsole = deps.console && deps.docs !== 'off';

  const contractAt = (mount: { prefix: string; version?: string }) =>
    contracted.flatMap((collection) =>
      contractRoutes(collection, { store, bodies, isReferenced: isReferenced(collection.name, collections), ...mount }),
    );
  const routes: Route[] = [
    ...contractAt({ prefix: '/api' }),
    ...contractAt({ prefix: '/api/v1', version: 'v1' }),
    ...collections.flatMap((collection) =>
      v2Routes(collection, { collections, store, bodies, maxBulk: limits.maxBulk, idempotency: deps.idempotency }),
    ),
    transactionRoute({ collections, store, bodies, idempotency: deps.idempotency }),
    changesRoute(collections, store.feed),
    eventsRoute(collections, feed),
    ticketRoute(store, authModeOf({ auth: access.auth, roles: access.declared?.roles })),
    meRoute(access.auth, access.declared, collections, deps.started),
    figuresRoute(deps.figures ?? (() => hour)),
    ...keyRoutes({
      store,
      collections,
      bodies,
      auth: access.auth,
      roles: Object.keys(access.declared?.roles ?? {}),
      log: log.write,
      audit: deps.audit,
    }),
    rolesRoute(access.declared, collections),
    ...settingsRoutes({ settings: deps.settings, bodies, open, audit: deps.audit }),
    problemRoute(hasPages),
    ...describing(deps.docs, [
      ...apiIndexRoutes(collections, version, hasPages),
      startRoute(collections, store, {
        version,
        auth: access.auth,
        hasCounts: access.auth !== 'all' && access.rules === undefined,
        hasConsole,
        hasPages,
      }),
      openapiRoute(() => routes, {
        version,
        collections,
        limited: guard.limited,
        needs: (route) => guard.needs(route),
        hasIssuers: access.issuers.length > 0,
        aged,
      }),
    ]),
    ...(hasPages ? docsRoutes() : []),
    schemaFileRoute(deps.configSchema),
    ...lookRoutes(),
    ...(hasConsole ? consoleRoutes(deps.signIns) : []),
    ...healthRoutes(store, { isStopping: () => draining, check: () => bodies.check() }),
    ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
  ];

  metrics?.ofApp(
    ...storeFigures(store, collections),
    gauge(
      'shelf_http_requests_under_way',
      'Requests that have arrived and are not answered yet.',
      () => inFlight.count,
    ),
    gauge('shelf_connections', 'Connections open.', () => load.connections),
    gauge('shelf_held_bytes', 'Bytes of bodies and answers under way.', () => load.held),
    gauge('shelf_listeners', 'Listeners to the live feed.', () => listeners.used),
  );

  const observer = createObserver({
    log,
    addressOf,
    inFlight: () => inFlight.count,
    audit: deps.audit,
    telemetry: deps.telemetry,
    count(route, method, status, ms, requestId, target) {
      hour.request(route, method, status, ms, requestId, target);
      metrics?.request(route, method, status, ms);
    },
  });
  const checkOrigin = originCheck(access);
  const handlers = createPipeline({
    observer,
    match: routeTable(routes),
    hasIndex: deps.docs !== 'off',
    allMethods: ['OPTIONS', 'HEAD', ...new Set(routes.map(({ method }) => method))].join(', '),
    inFlight,
    open,
    checkOrigin,
    guard,
    bind(caller) {
      const bound = access.rules?.bind(caller, Date.now());
      if (bound !== undefined) return bound;
      throw new Failure('forbidden', { detail: `The role ${caller.role ?? ''} is not one of the configuration file.` });
    },
    hasCallers: access.auth !== 'off',
    decorate(reply, request, path) {
      const headers = aged(path);
      const dated = headers === undefined ? reply : { ...reply, headers: { ...headers, ...reply.headers } };
      return cors === undefined ? dated : cors(request, dated);
    },
    clientOf,
    report,
    failed(code, isServerError) {
      hour.error(code);
      if (isServerError) metrics?.error(code);
    },
  });

  return {
    routes,
    ready: bodies.ready,
    handlers,
    redirect: (port) => createRedirect({ observer, checkOrigin, port }, handlers),
    drain: () => {
      draining = true;
    },
    gauges: () => ({
      connections: load.connections,
      listeners: listeners.used,
      writes_waiting: store.admin.figures().writesWaiting,
    }),
    settle: () => guard.uses.store(),
    close: () => bodies.close(),
    async finish(withinMs) {
      const unanswered = await open.end(withinMs);
      if (unanswered === 0) await feed.end();
      return unanswered;
    },
  };
}
