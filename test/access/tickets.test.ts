/** Tickets for the live feed: each is valid for one connection, for a short time, at any instance. */

import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { SQL } from 'bun';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { collections } from '../../src/collections/registry.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { ApiKey } from '../../src/domain/store/api-keys.ts';
import { maxTickets, ticketMs } from '../../src/domain/store/tickets.ts';
import { everybody } from '../../src/domain/store/writes.ts';
import { Guard } from '../../src/http/access/guard.ts';
import { openTickets } from '../../src/storage/sqlite/tickets.ts';
import type { Incoming } from '../../src/wire/request/incoming.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
async function makeKey({ store }: TestServer, name: string, only?: string): Promise<string> {
  const grant = { kind: 'create', name, scope: 'read', collections: only?.split(','), lastsMs: undefined } as const;
  return (await runKeys(store.admin.apiKeys, grant, new Date(), collections)).output.trimEnd();
}
const post = (url: string, headers = {}) => fetch(`${url}/api/v2/events/ticket`, { method: 'POST', headers });
async function getTicket(url: string, key: string): Promise<string> {
  const answer = await post(url, bearer(key));
  expect(answer.status).toBe(201);
  expect(answer.headers.get('Cache-Control')).toBe('private, no-store');
  const { ticket, expires_in } = (await answer.json()) as { ticket: string; expires_in: number };
  expect(expires_in).toBe(ticketMs / 1000);
  return ticket;
}
async function listen(url: string, ticket: string, more = ''): Promise<number> {
  const answer = await fetch(`${url}/api/v2/events?ticket=${ticket}${more}`);
  await answer.body?.cancel();
  return answer.status;
}

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), access: { auth: 'all' } });
    key = await makeKey(server, 'reader');
  });
  afterAll(() => server.stop());

  test('a ticket replaces a key once, and only for the live feed', async () => {
    expect((await post(server.url)).status).toBe(401);
    const ticket = await getTicket(server.url, key);
    expect((await fetch(`${server.url}/api/v2/changes?ticket=${ticket}`)).status).toBe(401);
    expect((await fetch(`${server.url}/api/v2/items?ticket=${ticket}`)).status).toBe(401);
    expect(await listen(server.url, ticket)).toBe(200);
    expect(await listen(server.url, ticket)).toBe(401);
    const second = await getTicket(server.url, key);
    const statuses = await Promise.all([1, 2, 3, 4].map(() => listen(server.url, second)));
    expect(statuses.sort()).toEqual([200, 401, 401, 401]);
    for (const wrong of ['', 'x', `${second}x`, second.slice(0, -2), `A${second.slice(1)}`])
      expect(await listen(server.url, wrong)).toBe(401);
  });

  test('a ticket has the permissions of its key', async () => {
    const items = await makeKey(server, 'items-only', 'items');
    expect(await listen(server.url, await getTicket(server.url, items))).toBe(403);
    expect(await listen(server.url, await getTicket(server.url, items), '&collection=users')).toBe(403);
    expect(await listen(server.url, await getTicket(server.url, items), '&collection=items')).toBe(200);
  });

  test('a ticket is not valid after its key is revoked', async () => {
    const gone = await makeKey(server, 'gone');
    const ticket = await getTicket(server.url, gone);
    await runKeys(server.store.admin.apiKeys, { kind: 'revoke', key: 'gone' }, new Date(), collections);
    expect(await listen(server.url, ticket)).toBe(401);
  });

  test('the number of unused tickets is limited per key', async () => {
    const [greedy, other] = [await makeKey(server, 'greedy'), await makeKey(server, 'other')];
    const tickets = [];
    for (let n = 0; n < maxTickets; n++) tickets.push(await getTicket(server.url, greedy));
    const refused = await post(server.url, bearer(greedy));
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '30']);
    await getTicket(server.url, other);
    expect(await listen(server.url, tickets[0] ?? '')).toBe(200);
    await getTicket(server.url, greedy);
  });

  test.each(['off', 'write'] as const)('a ticket also works with --auth %s', async (auth) => {
    const open = await startServer({ database: await newUrl(), access: { auth } });
    const answer = await post(open.url);
    expect(answer.status).toBe(201);
    const { ticket } = (await answer.json()) as { ticket: string };
    expect(await listen(open.url, ticket)).toBe(200);
    await open.stop();
  });

  test('a valid ticket works while wrong keys and tickets are over the rate limit', async () => {
    const rateLimit = { value: { count: 5, seconds: 3600 } };
    const limited = await startServer({ database: await newUrl(), access: { auth: 'all', rateLimit } });
    const ticket = await getTicket(limited.url, await makeKey(limited, 'r'));
    for (let n = 0; n < 10; n++) {
      await listen(limited.url, 'wrong');
      await fetch(`${limited.url}/api/items`, { headers: bearer(`wrong-${n}`) });
    }
    expect(await listen(limited.url, 'wrong')).toBe(429);
    expect(await listen(limited.url, ticket)).toBe(200);
    await limited.stop();
  });
});

test.skipIf(postgresUrl === undefined)('a ticket works once across instances, and expires', async () => {
  const database = await newDatabase();
  const [left, right] = [
    await startServer({ database, access: { auth: 'all' } }),
    await startServer({ database, access: { auth: 'all' }, storage: { prepare: false } }),
  ];
  const key = await makeKey(left, 'reader');
  const ticket = await getTicket(left.url, key);
  const statuses = await Promise.all([left, right, left, right].map(({ url }) => listen(url, ticket)));
  expect(statuses.sort()).toEqual([200, 401, 401, 401]);
  expect(await listen(right.url, await getTicket(left.url, key))).toBe(200);

  const late = await getTicket(left.url, key);
  const sql = new SQL({ url: database, max: 1 });
  await sql`update event_tickets set expires_at = now()`;
  expect(await listen(right.url, late)).toBe(401);
  // An expired ticket is deleted when the next one is created.
  await getTicket(left.url, key);
  await sql`update event_tickets set expires_at = now()`;
  await getTicket(left.url, key);
  expect(await sql`select count(*)::int as count from event_tickets`).toEqual([{ count: 1 }]);
  await sql.close();
  await left.stop();
  await right.stop();
});

const caller: Caller = { id: 'k', name: 'k', scope: 'read', collections: undefined };

test('a ticket in memory expires', async () => {
  let now = 0;
  const tickets = openTickets(() => now);
  const ticket = { digest: 'd', caller, keyDigest: undefined };
  await tickets.add(ticket);
  now = ticketMs - 1;
  expect(await tickets.take('d')).toEqual(ticket);
  await tickets.add(ticket);
  now += ticketMs;
  expect(await tickets.take('d')).toBeUndefined();
});

describe('a listener with a ticket is checked again', () => {
  const route = { method: 'GET', sight: 'records', collection: 'by query', takesTicket: true } as const;
  const request = { target: '/api/v2/events?ticket=t', header: () => null } as unknown as Incoming;
  const context = { headers: undefined, caller: undefined } as never;
  const guardOf = (given: Caller, keyDigest: string | undefined, find: () => ApiKey | undefined) =>
    new Guard({
      auth: 'all',
      keys: { find } as never,
      verify: undefined,
      rate: undefined,
      redeemTicket: async () => ({ digest: 't', caller: given, keyDigest }),
      addressOf: () => '',
    });

  test('and loses access when its key is revoked', async () => {
    const none = { collections: undefined, expiresAt: undefined };
    const key: ApiKey = {
      ...none,
      id: 'k',
      name: 'k',
      digest: 'd',
      scope: 'read',
      createdAt: '',
      revokedAt: undefined,
      lastUsedAt: undefined,
    };
    let found: ApiKey | undefined = key;
    const guard = guardOf(caller, 'd', () => found);
    expect(await guard.pass(route, request, context)).toEqual(caller);
    expect(await guard.stillMay(route, request)).toBe(true);
    found = { ...key, revokedAt: '2026-01-01T00:00:00.000Z' };
    expect(await guard.stillMay(route, request)).toBe(false);
  });

  test('and loses access when its token expires', async () => {
    const expiresAt = Date.now() + 60_000;
    const guard = guardOf({ ...caller, expiresAt }, undefined, () => undefined);
    await guard.pass(route, request, context);
    expect(await guard.stillMay(route, request)).toBe(true);
    setSystemTime(expiresAt);
    expect(await guard.stillMay(route, request)).toBe(false);
    setSystemTime();
  });
});

test.skipIf(browserPath === undefined)('a page in Chromium follows the feed with a ticket', async () => {
  const server = await startServer({ access: { auth: 'all' } });
  const key = await makeKey(server, 'page');
  const browser = await launch();
  const page = await browser.newPage();
  await page.goto(`${server.url}/healthz`);
  await page.evaluate(`
    window.heard = [];
    window.opened = 0;
    window.follow = async (after) => {
      const headers = { Authorization: 'Bearer ${key}' };
      const { ticket } = await (await fetch('/api/v2/events/ticket', { method: 'POST', headers })).json();
      const source = new EventSource('/api/v2/events?ticket=' + ticket + (after === '' ? '' : '&after=' + after));
      source.addEventListener('open', () => opened++);
      source.addEventListener('item.created', (event) => {
        after = event.lastEventId;
        heard.push(JSON.parse(event.data).record.name);
      });
      window.breakOff = () => { source.close(); return follow(after); };
    };
    follow('')`);
  await page.waitForFunction('opened === 1');
  const [items] = collections;
  const add = (name: string) =>
    server.store.writes.commit(everybody, {
      operation: { op: 'create', collection: items as never, json: `{"name":"${name}","price":1}` },
    });
  await add('one');
  await page.waitForFunction('heard.length === 1');
  await page.evaluate('breakOff()');
  await add('two');
  await page.waitForFunction('heard.length === 2');
  expect(await page.evaluate('heard')).toEqual(['one', 'two']);
  await browser.close();
  await server.stop();
});
