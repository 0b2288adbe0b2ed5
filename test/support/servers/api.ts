/**
 * A table of requests and their answers. Every answer is validated against the OpenAPI document of the server. A scenario that
 * changes records has a server of its own, so that rows do not depend on each other; all others share one for each engine.
 */
import { afterAll, expect, test } from 'bun:test';
import { quickEngines } from './engines.ts';
import { startServer, type TestServer } from './server.ts';

export type Request = {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Scenario = {
  readonly name: string;
  /** Sent first, in order; each must be answered with 2xx. */
  readonly before?: readonly Request[];
  readonly request: Request;
  readonly status: number;
  /** The exact text of the answer. */
  readonly body?: string;
  /** Texts that the answer must contain, and texts that it must not. */
  readonly contains?: readonly string[];
  readonly lacks?: readonly string[];
  /** Null for a header that must be absent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Requested afterwards, as `path: exact answer`, to check what the request changed. */
  readonly after?: Readonly<Record<string, string>>;
  readonly maxBody?: number;
};

/** Every row on every engine. */
export function scenarios(table: readonly Scenario[]): void {
  for (const [engine, newUrl] of quickEngines) {
    const start = async (maxBody = 1024 * 1024) => startServer({ database: await newUrl(), limits: { maxBody } });
    let shared: Promise<TestServer> | undefined;
    const documents: Documents = new Map();
    afterAll(async () => (await shared)?.stop());
    for (const scenario of table) {
      if (changesNothing(scenario)) {
        run(engine, scenario, documents, async () => {
          shared ??= start();
          return { ...(await shared), stop: async () => {} };
        });
      } else run(engine, scenario, documents, () => start(scenario.maxBody));
    }
  }
}

/** A refused request must not change anything either: if one does, the next row on the server fails. */
function changesNothing({ before = [], request: { method = 'GET' }, status, maxBody }: Scenario): boolean {
  return before.length === 0 && maxBody === undefined && (['GET', 'HEAD'].includes(method) || status >= 400);
}

function run(engine: string, scenario: Scenario, documents: Documents, start: () => Promise<TestServer>): void {
  test(`${engine}: ${scenario.name}`, async () => {
    const server = await start();
    try {
      for (const request of scenario.before ?? []) expect((await send(server.url, request)).ok).toBe(true);
      const response = await send(server.url, scenario.request);
      const text = await response.text();

      expect(response.status).toBe(scenario.status);
      if (scenario.body !== undefined) expect(text).toBe(scenario.body);
      for (const part of scenario.contains ?? []) expect(text).toContain(part);
      for (const part of scenario.lacks ?? []) expect(text).not.toContain(part);
      for (const [name, value] of Object.entries(scenario.headers ?? {}))
        expect(response.headers.get(name)).toBe(value);
      expect(response.headers.get('X-Request-Id')).toBeTruthy();
      if (text !== '') expect(response.headers.get('Content-Type')).toBe('application/json');
      const document = documents.get(scenario.maxBody) ?? (await documentOf(server.url));
      documents.set(scenario.maxBody, document);
      expectDeclared(document, scenario.request, response.status);
      for (const [path, expected] of Object.entries(scenario.after ?? {})) {
        expect(await (await fetch(server.url + path)).text()).toBe(expected);
      }
    } finally {
      await server.stop();
    }
  });
}

function send(url: string, { method = 'GET', path, body, headers = {} }: Request): Promise<Response> {
  return fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
}

type Document = { paths: Record<string, Record<string, { responses: Record<string, unknown> }>> };

/** By the limit of bodies, which is all that servers of one engine differ in. Each takes 20 ms to make its document. */
type Documents = Map<number | undefined, Document>;

async function documentOf(url: string): Promise<Document> {
  return (await fetch(`${url}/openapi.json`)).json() as Promise<Document>;
}

/** An operation that OpenAPI lists answers only with the statuses that it lists. */
function expectDeclared({ paths }: Document, { method = 'GET', path }: Request, status: number): void {
  const [sent = ''] = path.split('?');
  const template = Object.keys(paths).find((known) => new RegExp(`^${known.replace(/\{\w+\}/, '[^/]+')}$`).test(sent));
  const operation = paths[template ?? '']?.[method.toLowerCase()];
  if (operation !== undefined) expect(Object.keys(operation.responses)).toContain(String(status));
}
