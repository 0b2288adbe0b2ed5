/** A file that a page loads. After the first request a browser only revalidates it. */
import type { Soon } from '../../domain/soon.ts';
import { cachedDocument } from '../route/reply-with-etag.ts';
import { openRoute, type Route } from '../route/route.ts';

const contentTypes = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

export const scriptDocument = (load: () => Soon<string>) => cachedDocument(contentTypes.js, load);

/** The content type follows from the name. `load` is called at the first request. */
export function assetRoute(path: `${string}.${keyof typeof contentTypes}`, load: () => Soon<string>): Route {
  const document = cachedDocument(path.endsWith('.css') ? contentTypes.css : contentTypes.js, load);
  return openRoute(path, ({ request }) => document(request));
}
