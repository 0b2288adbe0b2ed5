/** The answer to `/`: a start page for browsers, a JSON index for other clients. */
import Type from 'typebox';
import { everything } from '../../domain/access/view.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import type { AuthMode } from '../access/auth.ts';
import { typeChooser } from '../route/accept.ts';
import { jsonContent, readFailures } from '../route/operation.ts';
import { json } from '../route/reply.ts';
import type { Route } from '../route/route.ts';
import { int64 } from '../route/schemas.ts';
import { apiLinks, linksOf, linksSchema, pageLinks } from './api-index.ts';
import { escapeHtml, look, mark, page } from './page.ts';

/** The count is absent if reading needs a key. */
type Counted = { readonly collection: Collection; readonly count: number | undefined };

const indexSchema = (links: Readonly<Record<string, string>>) =>
  Type.Object({
    name: Type.String(),
    version: Type.String(),
    links: linksSchema(links),
    collections: Type.Array(
      Type.Object({
        name: Type.String(),
        href: Type.String({ format: 'uri-reference' }),
        v2: Type.String({ format: 'uri-reference' }),
        count: Type.Optional(int64({ minimum: 0, description: 'Absent if reading needs a key.' })),
      }),
    ),
  });

export type About = {
  readonly version: string;
  readonly auth: AuthMode;
  /** Everybody may know how many records there are. */
  readonly hasCounts: boolean;
  readonly hasConsole: boolean;
  /** The documentation pages are served. */
  readonly hasPages: boolean;
};

export function startRoute(collections: readonly Collection[], store: Store, about: About): Route {
  const { version, hasCounts } = about;
  const links = linksOf(about.hasPages);
  const index = (counted: readonly Counted[]) => ({
    name: 'Shelf',
    version,
    links,
    collections: counted.map(({ collection: { name, contract }, count }) => ({
      name,
      href: contract === undefined ? `/api/v2/${name}` : `/api/${name}`,
      v2: `/api/v2/${name}`,
      count,
    })),
  });
  const chooseForm = typeChooser(['application/json', 'text/html']);
  const example = index(collections.map((collection) => ({ collection, count: 1 })));

  return {
    method: 'GET',
    sight: 'open',
    path: '/',
    access: 'open',
    operation: {
      id: 'getIndex',
      tag: 'service',
      summary: 'Index of the server: collections with their counts, and links to the documentation',
      answers: [
        {
          status: 200,
          description: 'The index as JSON; a browser gets an HTML page.',
          headers: ['Vary'],
          content: jsonContent(indexSchema(links), example),
        },
      ],
      failures: [...readFailures],
    },
    handle: async ({ request }) => {
      const counted = await Promise.all(
        collections.map(async (collection) => ({
          collection,
          count: hasCounts ? await store.reads.estimate(everything(collection)) : undefined,
        })),
      );
      const answer =
        chooseForm(request) === 'text/html'
          ? startPage(counted, originOf(request), about)
          : json(200, JSON.stringify(index(counted)));
      return { ...answer, headers: { ...answer.headers, Vary: 'Accept', 'Cache-Control': 'no-store' } };
    },
  };
}

function startPage(counted: readonly Counted[], origin: string, about: About): Reply {
  const { version, auth, hasConsole, hasPages } = about;
  const cards = counted.map(({ collection: { name, contract }, count }) => {
    const link = (prefix: string) => `<a href="${prefix}/${escapeHtml(name)}">${prefix}/${escapeHtml(name)}</a>`;
    return `<div class="card"><span class="count">${count?.toLocaleString('en') ?? ''}</span><b>${escapeHtml(name)}</b><span>${link('/api/v2')}${contract === undefined ? '' : link('/api')}</span></div>`;
  });
  const lines =
    counted.map(({ collection }) => createLines(collection, origin, auth)).find(({ length }) => length > 0) ?? [];
  return page(
    'Shelf',
    look,
    `<main>
<header>${mark}<h1>Shelf</h1><span class="version">${escapeHtml(version)}</span></header>
<p>Collections of records, as JSON over HTTP. What is answered with 201 is on disk.</p>
<h2>Collections</h2>
<div class="cards">${cards.join('')}</div>
${hasConsole ? consoleCard : ''}<h2>Add a record</h2>
${lines.map((line) => `<pre tabindex="0">${escapeHtml(line)}</pre>`).join('\n')}
<p class="hint">One click selects a line. <a href="${apiLinks.v2}">${apiLinks.v2}</a> is the API for production: ids made by the server, pages, filters, changes that do
not overwrite each other, a change feed. <a href="${apiLinks.api}">${apiLinks.api}</a> is the contract's, which never changes. Both have the same records.</p>
<h2>Documentation</h2>
<div class="cards">
${hasPages ? pageCards : ''}<a class="card" href="${apiLinks.openapi}"><b>Generate from it</b><span>OpenAPI 3.1, for tools</span></a>
</div>
</main>`,
  );
}

const pageCards = `<a class="card" href="${pageLinks.docs}"><b>Try it</b><span>Swagger UI: send requests from the page</span></a>
<a class="card" href="${pageLinks.redoc}"><b>Read it</b><span>Redoc: the reference on one page</span></a>
`;

const consoleCard = `<h2>Console</h2>
<div class="cards"><a class="card" href="/console"><b>See and change records</b><span>A page for people: tables, forms, history, live changes</span></a></div>
`;

/** The origin of this page, for commands in a shell: a Host with special characters is not repeated. */
function originOf(request: Incoming): string {
  const host = /^[\w.:[\]-]+$/.exec(request.header('host') ?? '')?.[0] ?? '127.0.0.1:8000';
  return `${request.peer.isSecure ? 'https' : 'http'}://${host}`;
}

/** One command for each API; none if no example is known. In a shell the body is in single quotes. */
function createLines(collection: Collection, origin: string, auth: AuthMode): string[] {
  const { example } = collection;
  if (example === undefined) return [];
  const { id: _, ...fields } = example;
  const key = auth === 'off' ? '' : ' -H "X-API-Key: $SHELF_KEY"';
  const line = (prefix: string, body: string) =>
    `curl ${origin}${prefix}/${collection.name}${key} -d '${body.replaceAll("'", `'\\''`)}'`;
  return [
    line('/api/v2', collection.record.encodeDraft({ contractId: undefined, fields })),
    ...(collection.contract === undefined ? [] : [line('/api', collection.encode({ ...example, id: 2n }))]),
  ];
}
