/** A server with roles and rules, whose callers are made by the test: a token has its caller as JSON. */

import { configSchema } from '../../../src/cli/config/file-schema.ts';
import { compileAccess } from '../../../src/domain/access/compiled-access.ts';
import type { AccessDeclaration } from '../../../src/domain/access/declaration.ts';
import type { Caller, Claims, Scope } from '../../../src/domain/caller.ts';
import type { Collection } from '../../../src/domain/record/collection.ts';
import { createApp } from '../../../src/http/app.ts';
import { LastHour } from '../../../src/http/observe/last-hour.ts';
import { openEngine } from '../../../src/storage/open.ts';
import { listen } from '../../../src/wire/listen.ts';
import { Load } from '../../../src/wire/load.ts';
import { defaults, engineOf, engineOptions } from './engine.ts';
import { noSettings } from './no-settings.ts';

/** A caller by its role and claims, or by its scope. */
export type As = { readonly role: string; readonly claims?: Claims } | { readonly scope: Scope };

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
};

/** Requests of these callers. */
export type Asked = {
  send(as: As, path: string, init?: RequestInit): Promise<Response>;
  ask(
    as: As,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
};

export type RoleServer = Awaited<ReturnType<typeof startRoleServer>>;

/** A JWT has dots, and an API key has none. */
export function tokenOf(as: As): string {
  return `token.${Buffer.from(JSON.stringify(as)).toString('base64url')}`;
}

function callerIn(token: string): Caller {
  const as = JSON.parse(Buffer.from(token.slice('token.'.length), 'base64url').toString()) as As;
  const common = { id: token.slice(-40), name: 'jwt:test', collections: undefined, isToken: true } as const;
  return 'scope' in as ? { ...common, scope: as.scope } : { ...common, scope: undefined, claims: {}, ...as };
}

export async function startRoleServer(
  collections: readonly Collection[],
  access: AccessDeclaration,
  database = 'memory:',
) {
  const store = openEngine(engineOf(database), collections, engineOptions);
  await store.admin.ready;
  const load = new Load({
    maxConnections: 1000,
    overLimitConnections: 1,
    maxHeld: 2 ** 30,
    connectionClient: () => undefined,
    requestClient: () => undefined,
  });
  const app = createApp({
    collections,
    store,
    version: 'test',
    configSchema,
    console: false,
    docs: 'on',
    access: {
      auth: 'all',
      rules: compileAccess(access, collections),
      verify: async (token) => callerIn(token),
      issuers: [],
      rate: undefined,
      proxies: [],
      origins: [],
      hosts: undefined,
    },
    limits: defaults.limits,
    log: {
      write: (entry) => {
        if ('error' in entry) process.stderr.write(`${Bun.inspect(entry.error)}\n`);
      },
      level: 'error',
      slow: 60_000,
    },
    idempotency: 86_400_000,
    ageing: { deprecation: undefined, sunset: undefined },
    load,
    metrics: undefined,
    hour: new LastHour(''),
    settings: noSettings,
  });
  await app.ready;
  const address = { hostname: '127.0.0.1', port: 0, sharePort: false };
  const listening = listen([{ address, handlers: app.handlers }], {
    requestTimeout: 30_000,
    keepAlive: 5000,
    bulkTimeout: 30_000,
    load,
  });
  const url = `http://127.0.0.1:${listening.port}`;

  return {
    url,
    store,
    routes: app.routes,
    ...askOver(
      () => ({ url, isLast: false }),
      async (as) => tokenOf(as),
    ),
    async stop() {
      await listening.stop(1000);
      await app.close();
      await store.admin.close();
    },
  };
}

/** `next` is the server of a request, and whether its connection closes then; `keyOf` a key or token. */
export function askOver(
  next: () => { readonly url: string; readonly isLast: boolean },
  keyOf: (as: As) => Promise<string | undefined>,
): Asked {
  async function send(as: As, path: string, init: RequestInit = {}): Promise<Response> {
    const { url, isLast } = next();
    const headers = new Headers(init.headers);
    const key = await keyOf(as);
    // A ticket has the role of its caller.
    if (key !== undefined && !path.includes('ticket=')) headers.set('Authorization', `Bearer ${key}`);
    if (isLast) headers.set('Connection', 'close');
    return fetch(`${url}${path}`, { ...init, headers });
  }

  async function ask(
    as: As,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const response = await send(as, path, {
      method,
      headers: {
        ...(body === undefined || typeof body === 'string' ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const isJson = /json/.test(type) && !/ndjson/.test(type);
    const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, json };
  }

  return { send, ask };
}
