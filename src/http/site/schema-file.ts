/** The JSON Schema of the configuration file, for editors. */

import { cachedDocument } from '../route/reply-with-etag.ts';
import { openRoute, type Route } from '../route/route.ts';

export function schemaFileRoute(schema: () => object): Route {
  const document = cachedDocument('application/schema+json', () => JSON.stringify(schema()));
  return openRoute('/shelf.schema.json', ({ request }) => document(request));
}
