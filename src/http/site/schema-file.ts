/** The JSON Schema of the configuration file, for editors. */

import { cachedDocument } from '../route/reply-with-etag.ts';
import type { Route } from '../route/route.ts';

export function schemaFileRoute(schema: () => object): Route {
  const document = cachedDocument('application/schema+json', () => JSON.stringify(schema()));
  return { method: 'GET', path: '/shelf.schema.json', access: 'open', handle: ({ request }) => document(request) };
}
