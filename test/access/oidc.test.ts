/** Tokens of a real OpenID issuer: its keys rotate, it goes away, and it comes back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { usualPauses } from '../../src/cli/issuers/issuer-reader.ts';
import { collections } from '../../src/collections/registry.ts';
import { audience, TestIssuer } from '../support/servers/issuers/issuer.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { startServer } from '../support/servers/server.ts';
import { ServerLog } from '../support/servers/server-log.ts';
import { onAllThreads } from '../support/threads/thread-clients.ts';

const access = (...issuers: readonly string[]) => ({
  auth: 'all' as const,
  oidcIssuer: { value: issuers },
  oidcAudience: { value: audience },
});
/** Long enough that the tokens of a second new key still wait. */
const issuerPauses = { ...usualPauses, betweenTokens: 1000 };
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const jwksOf = ({ asked }: TestIssuer) => asked.filter((path) => path === '/jwks').length;

describe('callers', () => {
  let one: TestIssuer;
  let other: TestIssuer;
  beforeAll(async () => {
    [one, other] = await Promise.all([TestIssuer.start(), TestIssuer.start()]);
  });
  afterAll(() => Promise.all([one, other].map((issuer) => issuer.stop())));

  test('have the scope of their token, and a name with their issuer, in the feed and the log', async () => {
    const log = new ServerLog();
    const server = await startServer({ access: access(one.url, other.url), logTo: log.logTo });
    const [mine, theirs] = [await one.token('write'), await other.token('write')];
    const add = (token: string, key = 'once') =>
      fetch(`${server.url}/api/v2/items`, {
        method: 'POST',
        headers: { ...bearer(token), 'Idempotency-Key': key },
        body: '{"name":"x","price":1}',
      });
    const first = await add(mine);
    expect(first.status).toBe(201);
    expect((await log.of(first)).key).toBe(`oidc:billing@${one.url}`);
    // The same subject of another issuer is another caller.
    expect((await add(theirs)).headers.get('Idempotent-Replayed')).toBeNull();
    expect((await add(await one.token('read'), 'other')).status).toBe(403);
    const changes = await fetch(`${server.url}/api/v2/changes`, { headers: bearer(mine) });
    const { data } = (await changes.json()) as { data: { by: string }[] };
    expect(data.map(({ by }) => by).slice(-2)).toEqual([`oidc:billing@${one.url}`, `oidc:billing@${other.url}`]);
    await server.stop();
  });

  test('have a rate limit each, and tickets', async () => {
    const rateLimit = { value: { count: 3, seconds: 3600 } };
    const server = await startServer({ access: { ...access(one.url, other.url), rateLimit } });
    const [mine, theirs] = [await one.token('read'), await other.token('read')];
    const ask = (token: string) => fetch(`${server.url}/api/items`, { headers: bearer(token) });
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await ask(mine)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const ticketed = await fetch(`${server.url}/api/v2/events/ticket`, { method: 'POST', headers: bearer(theirs) });
    const { ticket } = (await ticketed.json()) as { ticket: string };
    const feed = await fetch(`${server.url}/api/v2/events?ticket=${ticket}`);
    expect(feed.status).toBe(200);
    await feed.body?.cancel();
    await server.stop();
  });

  test('OpenAPI has the failure of an issuer that is down, only with issuers', async () => {
    const server = await startServer({ access: access(one.url) });
    const plain = await startServer({ access: { auth: 'all' } });
    const has = async ({ url }: { url: string }) =>
      (await (await fetch(`${url}/openapi.json`)).text()).includes('issuer-unavailable');
    expect([await has(server), await has(plain)]).toEqual([true, false]);
    await Promise.all([server.stop(), plain.stop()]);
  });
});

test.each([1, 2])('with %d threads, keys rotate under load, and every token is accepted', async (threads) => {
  const issuer = await TestIssuer.start();
  const server = await startServer({ server: { threads }, access: access(issuer.url), issuerPauses });
  let tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.token('read')));
  let running = true;
  const statuses: number[] = [];
  const load = Array.from({ length: 8 }, async (_, client) => {
    for (let n = client; running; n++) {
      const token = tokens[n % tokens.length] ?? '';
      const { status, body } = await fetch(`${server.url}/api/items/1`, {
        headers: { ...bearer(token), ...(n % 3 === 0 ? { Connection: 'close' } : {}) },
      });
      await body?.cancel();
      statuses.push(status);
    }
  });
  const served = async (count: number) => {
    const until = statuses.length + count;
    while (statuses.length < until) await Bun.sleep(1);
  };
  await served(100);
  const before = jwksOf(issuer);
  expect(before).toBe(1);
  await issuer.rotate();
  // All tokens at once have a key that is new.
  tokens = await Promise.all(Array.from({ length: 200 }, () => issuer.token('read')));
  const burst = await Promise.all(
    tokens.map((token) => fetch(`${server.url}/api/items/1`, { headers: { ...bearer(token), Connection: 'close' } })),
  );
  expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([200]));
  expect(jwksOf(issuer)).toBe(2);
  await served(100);
  // The second new key comes right after the first, which the issuer keeps: its tokens wait, and are accepted.
  const old = tokens;
  await issuer.rotate();
  tokens = [...old.slice(0, 10), ...(await Promise.all(Array.from({ length: 10 }, () => issuer.token('read'))))];
  await served(200);
  running = false;
  await Promise.all(load);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(jwksOf(issuer)).toBe(3);
  await server.stop();
  await issuer.stop();
});

test('a key that the issuer has dropped is refused on all threads, as soon as one of them has heard of it', async () => {
  const issuer = await TestIssuer.start();
  const server = await startServer({ server: { threads: 3 }, access: access(issuer.url), issuerPauses });
  const old = await issuer.token('read');
  const statuses = async (token: string) =>
    new Set(
      await Promise.all(
        Array.from(
          { length: 12 },
          async () =>
            (await fetch(`${server.url}/api/items/1`, { headers: { ...bearer(token), Connection: 'close' } })).status,
        ),
      ),
    );
  expect(await statuses(old)).toEqual(new Set([200]));
  await issuer.rotate(0);
  const { status } = await fetch(`${server.url}/api/items/1`, { headers: bearer(await issuer.token('read')) });
  expect(status).toBe(200);
  while ((await statuses(old)).has(200)) await Bun.sleep(1);
  expect(await statuses(old)).toEqual(new Set([401]));
  await server.stop();
  await issuer.stop();
});

test('an issuer that goes away: known keys stay valid, others are 503, and one line says so', async () => {
  const issuer = await TestIssuer.start();
  const log = new ServerLog();
  const server = await startServer({ access: access(issuer.url), issuerPauses, logTo: log.logTo });
  const known = await issuer.token('read');
  await issuer.rotate();
  const later = await issuer.token('read');
  await issuer.stop();
  const ask = (token: string, path = '/api/v2/items/1') => fetch(server.url + path, { headers: bearer(token) });
  const [refused] = await Promise.all([ask(later), ask(known)]);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ type: '/problems/issuer-unavailable' });
  expect((await ask(known)).status).toBe(200);
  expect(await log.count('issuer', 1)).toMatchObject([{ level: 'warn' }]);
  expect(log.named('error')).toEqual([]);
  await issuer.listen();
  expect((await ask(later)).status).toBe(200);
  expect(log.named('issuer')).toMatchObject([{}, { level: 'info' }]);
  await server.stop();
  await issuer.stop();
});

test('a start while the issuer is down serves everything else, and its tokens when it is there', async () => {
  const issuer = await TestIssuer.start();
  const token = await issuer.token('write');
  await issuer.stop();
  const log = new ServerLog();
  const gone = `http://127.0.0.1:${freePort()}`;
  const server = await startServer({
    access: { ...access(issuer.url, gone), auth: 'write' },
    server: { threads: 2 },
    issuerPauses,
    logTo: log.logTo,
  });
  const lines = log.named('issuer').map(({ message }) => message);
  expect(lines.toSorted()).toEqual(
    [issuer.url, gone]
      .toSorted()
      .map((url) =>
        expect.stringContaining(
          `--oidc-issuer ${url} cannot be read: ${url}/.well-known/openid-configuration cannot be fetched`,
        ),
      ),
  );
  const add = (key: string) =>
    fetch(`${server.url}/api/v2/items`, { method: 'POST', headers: bearer(key), body: '{"name":"x","price":1}' });
  expect((await add(token)).status).toBe(503);
  // A read needs no key here, so nobody asks whether the token is valid.
  expect((await fetch(`${server.url}/api/items`, { headers: bearer(token) })).status).toBe(200);
  const order = { kind: 'create', name: 'ci', scope: 'write', collections: undefined, lastsMs: undefined } as const;
  const key = (await runKeys(server.store.admin.apiKeys, order, new Date(), collections)).output.trimEnd();
  expect((await add(key)).status).toBe(201);
  await issuer.listen();
  expect((await add(token)).status).toBe(201);
  for (const { status } of await onAllThreads(`${server.url}/healthz`)) expect(status).toBe(200);
  await server.stop();
  await issuer.stop();
});
