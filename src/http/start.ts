/** What `/` answers: a start page to a browser, an index to everything else. */
import Type from 'typebox';
import type { Collection } from '../domain/collection.ts';
import type { Store } from '../domain/store.ts';
import type { Reply } from '../wire/reply.ts';
import { typeChooser } from './accept.ts';
import { apiLinks, linksSchema } from './api-index.ts';
import type { AuthMode } from './auth.ts';
import { escapeHtml, mark, page } from './page.ts';
import { json } from './reply.ts';
import { jsonContent, type Route, readFailures } from './route.ts';
import { int64 } from './schemas.ts';

/** Without a count where that is nobody's business. */
type Counted = { readonly collection: Collection; readonly count: number | undefined };

const indexSchema = Type.Object({
  name: Type.String(),
  version: Type.String(),
  links: linksSchema,
  collections: Type.Array(
    Type.Object({
      name: Type.String(),
      href: Type.String({ format: 'uri-reference' }),
      v2: Type.String({ format: 'uri-reference' }),
      count: Type.Optional(int64({ minimum: 0, description: 'Left out where reading needs a key.' })),
    }),
  ),
});

export function startRoute(collections: readonly Collection[], store: Store, version: string, auth: AuthMode): Route {
  const index = (counted: readonly Counted[]) => ({
    name: 'Shelf',
    version,
    links: apiLinks,
    collections: counted.map(({ collection: { name }, count }) => ({
      name,
      href: `/api/${name}`,
      v2: `/api/v2/${name}`,
      count,
    })),
  });
  const chooseForm = typeChooser(['application/json', 'text/html']);
  const example = index(collections.map((collection) => ({ collection, count: 1 })));

  return {
    method: 'GET',
    path: '/',
    access: 'open',
    operation: {
      id: 'getIndex',
      tag: 'service',
      summary: 'What there is: the collections with their counts, and the documentation',
      answers: [
        {
          status: 200,
          description: 'An index; a browser gets a page.',
          headers: ['Vary'],
          content: jsonContent(indexSchema, example),
        },
      ],
      failures: [...readFailures],
    },
    handle: async ({ request }) => {
      const counted = await Promise.all(
        collections.map(async (collection) => ({
          collection,
          count: auth === 'all' ? undefined : await store.count(collection),
        })),
      );
      const answer =
        chooseForm(request) === 'text/html'
          ? startPage(counted, version, originOf(request.header('host')), auth)
          : json(200, JSON.stringify(index(counted)));
      return { ...answer, headers: { ...answer.headers, Vary: 'Accept', 'Cache-Control': 'no-store' } };
    },
  };
}

const style = `<style>
:root { color-scheme: light dark; --ink: #1c2b2d; --soft: #5b6c6e; --paper: #faf7f1; --card: #fff; --line: #e4ddd0; --accent: #1d6d70; --code: #f2ede2 }
@media (prefers-color-scheme: dark) { :root { --ink: #ece6da; --soft: #9aa9aa; --paper: #12191a; --card: #1a2324; --line: #2b3738; --accent: #7cc7c9; --code: #0d1313 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 50rem; margin: 0 auto; padding: 4rem 1.5rem 5rem }
header { display: flex; align-items: center; gap: 1rem; margin-bottom: .75rem }
header svg { width: 52px; height: 52px; flex: none }
h1 { font-size: 2.4rem; letter-spacing: -.03em; margin: 0; line-height: 1 }
h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .09em; color: var(--soft); margin: 2.75rem 0 .8rem; font-weight: 600 }
p { margin: 0; max-width: 44rem }
a { color: var(--accent); text-decoration: none }
a:hover { text-decoration: underline }
.version { color: var(--soft); font-size: .85rem; align-self: flex-end; padding-bottom: .1rem }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .9rem }
.card { display: block; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.05rem 1.2rem; color: inherit }
a.card:hover { border-color: var(--accent); text-decoration: none }
.card b { display: block; font-size: 1.05rem; color: var(--accent) }
.card span { color: var(--soft); font-size: .92rem }
.card .count { float: right; font-size: 1.6rem; line-height: 1.5; font-variant-numeric: tabular-nums; color: var(--ink) }
pre { margin: 0; background: var(--code); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.2rem; overflow-x: auto; font: 14px/1.6 ui-monospace, monospace; user-select: all }
.hint { color: var(--soft); font-size: .85rem; margin-top: .5rem }
</style>`;

function startPage(counted: readonly Counted[], version: string, origin: string, auth: AuthMode): Reply {
  const cards = counted.map(({ collection: { name }, count }) => {
    const path = `/api/${escapeHtml(name)}`;
    return `<a class="card" href="${path}"><span class="count">${count?.toLocaleString('en') ?? ''}</span><b>${escapeHtml(name)}</b><span>${path}</span></a>`;
  });
  const [first] = counted;
  const curl = first === undefined ? '' : createLine(first.collection, origin, auth);
  return page(
    'Shelf',
    style,
    `<main>
<header>${mark}<h1>Shelf</h1><span class="version">${escapeHtml(version)}</span></header>
<p>Collections of records, as JSON over HTTP. What is answered with 201 is on disk.</p>
<h2>Collections</h2>
<div class="cards">${cards.join('')}</div>
<h2>Add a record</h2>
<pre>${escapeHtml(curl)}</pre>
<p class="hint">One click selects the line.</p>
<h2>Documentation</h2>
<div class="cards">
<a class="card" href="${apiLinks.docs}"><b>Try it</b><span>Swagger UI: send requests from the page</span></a>
<a class="card" href="${apiLinks.redoc}"><b>Read it</b><span>Redoc: the reference on one page</span></a>
<a class="card" href="${apiLinks.openapi}"><b>Generate from it</b><span>OpenAPI 3.1, for tools</span></a>
</div>
</main>`,
  );
}

/** Where the browser found this page; what could mean something to a shell is not repeated. */
function originOf(host: string | null): string {
  return `http://${/^[\w.:[\]-]+$/.exec(host ?? '')?.[0] ?? '127.0.0.1:8000'}`;
}

/** The body stands in single quotes in a shell. */
function createLine(collection: Collection, origin: string, auth: AuthMode): string {
  const body = collection.encode({ ...collection.first, id: 2n }).replaceAll("'", `'\\''`);
  const key = auth === 'off' ? '' : ' -H "X-API-Key: $SHELF_KEY"';
  return `curl ${origin}/api/${collection.name}${key} -d '${body}'`;
}
