/** The index at `/api` and its versions, for clients that know only the address. */
import Type from 'typebox';
import type { Collection } from '../../domain/collection.ts';
import { jsonContent, type Operation } from '../route/operation.ts';
import { json } from '../route/reply.ts';
import type { Route } from '../route/route.ts';

export const apiLinks = {
  docs: '/docs',
  redoc: '/redoc',
  openapi: '/openapi.json',
  health: '/healthz',
  ready: '/readyz',
  api: '/api',
  v2: '/api/v2',
};

const path = () => Type.String({ format: 'uri-reference' });
export const linksSchema = Type.Object(Object.fromEntries(Object.keys(apiLinks).map((name) => [name, path()])));

const indexSchema = Type.Object({
  name: Type.String(),
  version: Type.String(),
  links: Type.Record(Type.String(), path()),
  collections: Type.Array(Type.Object({ name: Type.String(), href: path() })),
});

export function apiIndexRoutes(collections: readonly Collection[], version: string): Route[] {
  function route(prefix: string, id: string, links: Readonly<Record<string, string>>): Route {
    const index = {
      name: 'Shelf',
      version,
      links: { ...apiLinks, ...links },
      collections: collections.map(({ name }) => ({ name, href: `${prefix}/${name}` })),
    };
    const text = JSON.stringify(index);
    const operation: Operation = {
      id,
      tag: 'service',
      summary: `Index of ${prefix}`,
      answers: [{ status: 200, description: 'The collections, and links.', content: jsonContent(indexSchema, index) }],
      failures: [],
      ...(prefix === '/api/v2' ? { problems: true } : {}),
    };
    return { method: 'GET', path: prefix, access: 'open', operation, handle: () => json(200, text) };
  }
  return [
    route('/api', 'getApiIndex', {}),
    route('/api/v1', 'getApiIndexV1', {}),
    route('/api/v2', 'getApiIndexV2', { changes: '/api/v2/changes', events: '/api/v2/events' }),
  ];
}
