/** The whole service over HTTP: the one place that lists what a request passes through, in order. */
import type { Collection } from '../domain/collection.ts';
import { Failure } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import type { Handlers } from '../wire/connection.ts';
import type { Incoming } from '../wire/incoming.ts';
import type { Reply } from '../wire/reply.ts';
import { type Ageing, ageingHeaders } from './ageing.ts';
import { changeEncoder, changesRoute } from './changes.ts';
import { contractRoutes } from './contract.ts';
import { docsRoutes } from './docs.ts';
import { eventsRoute } from './events.ts';
import { healthRoutes } from './health.ts';
import { Feed } from './live.ts';
import { type Log, observed } from './observe.ts';
import { openapiRoute, type Tag } from './openapi.ts';
import { iconRoute } from './page.ts';
import { problem, problemRoute } from './problem.ts';
import { empty, failure, type Replied } from './reply.ts';
import { type Call, type Route, routeTable } from './route.ts';
import { startRoute } from './start.ts';
import { v2Routes } from './v2.ts';

export type Deps = {
  readonly collections: readonly Collection[];
  readonly store: Store;
  readonly log: Log;
  readonly maxBody: number;
  readonly maxBulk: number;
  readonly keysKept: number;
  readonly version: string;
} & Ageing;

export type App = { readonly routes: readonly Route[]; readonly handlers: Handlers };

export function createApp({ collections, store, log, maxBody, maxBulk, keysKept, version, ...ageing }: Deps): App {
  const aged = ageingHeaders(ageing, collections);
  const feed = new Feed(store, changeEncoder(collections), (error) =>
    log({ level: 'error', event: 'error', request_id: '', error }),
  );
  const tags: Tag[] = [
    ...collections.map(({ name }) => ({ name, description: `The ${name} of the contract.` })),
    ...collections.map(({ name }) => ({ name: `v2 ${name}`, description: `The ${name}, for production.` })),
    { name: 'v2 changes', description: 'What has changed, in order.' },
    { name: 'v1', description: 'The same operations under their version.' },
    { name: 'service', description: 'For operators and tools.' },
  ];
  const routes: Route[] = [
    ...collections.flatMap((collection) => contractRoutes(collection, { store, maxBody, prefix: '/api' })),
    ...collections.flatMap((collection) =>
      contractRoutes(collection, { store, maxBody, prefix: '/api/v1', version: 'v1' }),
    ),
    ...collections.flatMap((collection) => v2Routes(collection, { store, maxBody, maxBulk, keysKept })),
    changesRoute(collections, store),
    eventsRoute(collections, feed),
    problemRoute(),
    startRoute(collections, store, version),
    openapiRoute(() => routes, { version, tags, collections }),
    ...docsRoutes(),
    iconRoute(),
    ...healthRoutes(store),
  ];
  const match = routeTable(routes);

  function answer(request: Incoming, path: string, report: Call['report']): Replied {
    const found = match(request.method, path);
    if (found.kind === 'route') {
      return found.route.handle({ request, search: searchOf(request.target), argument: found.argument, report });
    }
    if (found.kind === 'nothing') throw new Failure('unknown_path');
    const { allow } = found;
    if (request.method === 'OPTIONS') return empty(204, { Allow: allow });
    throw new Failure('method_not_allowed', `This path does not take ${request.method}: it takes ${allow}.`, {
      headers: { Allow: allow },
    });
  }

  /** With what an answer under this path says beside itself. */
  function withAge(reply: Reply, path: string): Reply {
    const headers = aged(path);
    return headers === undefined ? reply : { ...reply, headers: { ...headers, ...reply.headers } };
  }

  const handlers = observed(log, (request, path, requestId) => {
    const report = (error: unknown) => log({ level: 'error', event: 'error', request_id: requestId, error });
    function failed(error: unknown): Reply {
      const known = error instanceof Failure ? error : new Failure('internal');
      if (known.status >= 500) report(error);
      return path.startsWith('/api/v2/') ? problem(known, path) : failure(known);
    }

    try {
      const answered = answer(request, path, report);
      if (!(answered instanceof Promise)) return withAge(answered, path);
      return answered.catch(failed).then((reply) => withAge(reply, path));
    } catch (error) {
      return withAge(failed(error), path);
    }
  });

  return { routes, handlers };
}

function searchOf(target: string): string {
  const start = target.indexOf('?');
  return start < 0 ? '' : target.slice(start + 1);
}
