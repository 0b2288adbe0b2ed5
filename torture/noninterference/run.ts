/** Asks two databases that differ in what a caller may not see the same questions: the answers are the same. */
import { privateLibrary, privateRules } from '../../test/support/data/private-library.ts';
import { Random } from '../../test/support/data/random.ts';
import { type Answer, type As, type Asked, startRoleServer } from '../../test/support/servers/role-server.ts';
import type { RoleService } from '../../test/support/servers/role-service.ts';
import { Hidden, type Pair } from './hidden.ts';
import { callers, changesAtOnce, type Request, Requests } from './requests.ts';
import { sameText } from './same.ts';

const mostTries = 100;

export type Options = {
  readonly seed: number;
  readonly requests: number;
  /** Starts a service over a new database, at each call. */
  start(): Promise<RoleService>;
};

export type Outcome = {
  readonly requests: number;
  readonly succeeded: number;
  readonly changes: number;
  /** How many requests were answered alike with a status, and with a problem of which kind. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly complaints: readonly string[];
  /** Routes that no request has come to. */
  readonly uncovered: readonly string[];
  /** What callers have a right to, and no request has done. */
  readonly refused: readonly string[];
};

/** The least part of the requests that succeeds: the others are refused for mistakes in them, too. */
const leastSucceeded = 0.1;

/** Some caller may do each of these, and does so often. */
const allowed = [
  ...['', '/export', '/summary', '/{id}'].map((rest) => `GET /api/v2/loans${rest}`),
  ...['POST /api/v2/loans', 'POST /api/v2/loans/bulk', 'PATCH /api/v2/loans/{id}'],
  ...['POST /api/v2/transactions', 'GET /api/v2/changes'],
  ...['GET /api/books', 'GET /api/books/{id}', 'GET /api/v1/books', 'GET /api/v1/books/{id}'],
  ...['GET /api/v2', 'GET /api/v2/me'],
];

export async function runPairs({ seed, requests: count, start }: Options): Promise<Outcome> {
  const random = new Random(seed);
  const routes = await allRoutes();
  const pair = [await start(), await start()] as const;
  const complaints: string[] = [];
  const covered = new Set<string>();
  const done = new Set<string>();
  const kinds = new Map<string, number>();
  let succeeded = 0;
  let changes = 0;
  try {
    const hidden = new Hidden(pair, random);
    await hidden.seed();
    const others = routes.filter(({ sight }) => sight !== 'records');
    const requests = new Requests(random, others, () => 24 + Math.floor(changes / 4));
    for (let n = 0; n < count && complaints.length < 5; n++) {
      if (n % 10 === 9) await hidden.next();
      const request = requests.next();
      const answers = await Promise.all(pair.map((server) => ask(server, request)));
      compare(`request ${n} of seed ${seed}`, request, answers, complaints);
      const [answer] = answers;
      const route = routeOf(routes, request);
      if (route !== undefined) covered.add(route);
      const kind = kindOf(answer);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (answer !== undefined && answer.status < 300) {
        succeeded++;
        if (route !== undefined) done.add(route);
        if (request.method !== 'GET') changes++;
        await follow(pair, request, answers, complaints);
      }
    }
    if (complaints.length === 0 && succeeded < count * leastSucceeded)
      complaints.push(`only ${succeeded} of ${count} requests of seed ${seed} have succeeded`);
    for (const as of callers) await compareEvents(pair, as, complaints);
    covered.add('GET /api/v2/events').add('POST /api/v2/events/ticket');
  } finally {
    await Promise.all(pair.map((server) => server.stop()));
  }
  const needed = routes.map(({ method, path }) => `${method} ${path}`);
  return {
    requests: count,
    succeeded,
    changes,
    kinds: Object.fromEntries([...kinds].sort(([one], [other]) => one.localeCompare(other))),
    complaints,
    uncovered: needed.filter((route) => !covered.has(route)),
    refused: allowed.filter((route) => !done.has(route)),
  };
}

function isCutShort({ text, json }: Answer): boolean {
  if (/\d ms: declare an index|problems\/timed-out/.test(text)) return true;
  const { data, more } = (json ?? {}) as { readonly data?: readonly unknown[]; readonly more?: boolean };
  return more === true && (data?.length ?? 0) < changesAtOnce;
}

type Routes = Awaited<ReturnType<typeof allRoutes>>;

async function allRoutes() {
  const server = await startRoleServer(privateLibrary, privateRules);
  await server.stop();
  return server.routes;
}

/** Time is declared to differ. What has taken too long is asked again: an operation that is refused for that has changed nothing, and a page of changes ends. */
async function ask(server: Asked, { as, method, path, body, headers }: Request): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await server.ask(as, method, path, body, headers);
    if (tries === mostTries || !isCutShort(answer)) return answer;
  }
}

function compare(where: string, request: object, answers: readonly Answer[], complaints: string[]): void {
  const [one, other] = answers.map(sameText);
  if (answers.some(({ status }) => status >= 500))
    complaints.push(`${where}: ${JSON.stringify(request)}\n${one}\n${other}`);
  else if (one !== other) complaints.push(`${where}: ${JSON.stringify(request)}\n--- one\n${one}\n--- other\n${other}`);
}

/** The page after this one, in each database by its own cursor. */
async function follow(pair: Pair, request: Request, answers: readonly Answer[], complaints: string[]): Promise<void> {
  const cursors = answers.map(({ json }) => (json as { next_cursor?: string } | undefined)?.next_cursor);
  if (request.method !== 'GET' || cursors.some((cursor) => typeof cursor !== 'string')) return;
  const next = await Promise.all(
    pair.map((server, side) => ask(server, { ...request, path: `${request.path}&cursor=${cursors[side]}` })),
  );
  compare('the next page', request, next, complaints);
}

/** The status, and of a problem its type. */
function kindOf(answer: Answer | undefined): string {
  const { type = '' } = (answer?.json ?? {}) as { readonly type?: unknown };
  const isProblem = typeof type === 'string' && type.startsWith('/problems/');
  return `${answer?.status}${isProblem ? ` ${type.slice('/problems/'.length)}` : ''}`;
}

function routeOf(routes: Routes, { method, path }: Request): string | undefined {
  const [plain = ''] = path.split('?');
  const exact = routes.find((route) => route.method === method && route.path === plain);
  const parameter = plain.replace(/[^/]+$/, '');
  const isOf = (route: string) => /\{\w+\}$/.test(route) && route.replace(/\{\w+\}$/, '') === parameter;
  const found = exact ?? routes.find((route) => route.method === method && isOf(route.path));
  return found === undefined ? undefined : `${found.method} ${found.path}`;
}

/** The whole feed of each collection, live: up to a record that the caller sees. */
async function compareEvents(pair: Pair, as: As, complaints: string[]): Promise<void> {
  for (const collection of ['loans', 'books', 'members', 'secrets']) {
    const texts = await Promise.all(pair.map((server) => eventsOf(server, as, collection)));
    // Each caller has a valid key, or a role without one.
    if (texts[0] !== texts[1] || texts[0] === '401')
      complaints.push(
        `events of ${collection} for ${JSON.stringify(as)}:\n--- one\n${texts[0]}\n--- other\n${texts[1]}`,
      );
  }
}

async function eventsOf(server: Asked, as: As, collection: string): Promise<string> {
  const { json } = await server.ask(as, 'POST', '/api/v2/events/ticket');
  const ticket = (json as { ticket?: string }).ticket ?? '';
  const pulled = await server.ask(as, 'GET', `/api/v2/changes?collection=${collection}&limit=1000`);
  const count = (pulled.json as { data?: unknown[] } | undefined)?.data?.length ?? 0;
  const stop = new AbortController();
  const path = `/api/v2/events?collection=${collection}&after=0${ticket === '' ? '' : `&ticket=${ticket}`}`;
  const response = await server.send(as, path, { signal: stop.signal });
  if (response.status !== 200) return `${response.status}`;
  let text = '';
  const decoder = new TextDecoder();
  // As many as the pulled feed has.
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if ([...text.matchAll(/^data: /gm)].length >= count) break;
  }
  stop.abort();
  return [...text.matchAll(/^event: (\S+)\ndata: (.*)$/gm)]
    .map(
      ([, type, data = '']) => `${type} ${data.replace(/"seq":\d+/, '').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')}`,
    )
    .join('\n');
}
