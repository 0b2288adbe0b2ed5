/** GET /api/v2/me: the rights of the caller, in every auth mode. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { collections } from '../../src/collections/registry.ts';
import type { AuthMode } from '../../src/http/access/auth.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const modes: readonly AuthMode[] = ['off', 'write', 'all'];

describe.each(modes)('--auth %s', (auth) => {
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    server = await startServer({ access: { auth } });
    const order = { kind: 'create', name: 'shop', scope: 'write', collections: ['items'], lastsMs: undefined } as const;
    key = (await runKeys(server.store.admin.apiKeys, order, new Date(), collections)).output.trimEnd();
  });
  afterAll(() => server.stop());

  async function me(sent?: string) {
    const response = await fetch(`${server.url}/api/v2/me`, {
      headers: sent === undefined ? {} : { Authorization: `Bearer ${sent}` },
    });
    return { status: response.status, body: (await response.json()) as object, headers: response.headers };
  }

  test('without a key', async () => {
    const { status, body, headers } = await me();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('private, no-store');
    const scope = { off: 'admin', write: 'read', all: null }[auth];
    expect(body).toEqual({ auth, name: null, scope, collections: null });
  });

  test('with a key', async () => {
    const limited = { auth, name: 'shop', scope: 'write', collections: ['items'] };
    // Where no key is needed, none is looked at.
    const open = { auth, name: null, scope: 'admin', collections: null };
    expect((await me(key)).body).toEqual(auth === 'off' ? open : limited);
  });

  test('with an invalid key', async () => {
    const { status, headers } = await me('shelf_wrong');
    expect(status).toBe(auth === 'off' ? 200 : 401);
    expect(headers.get('www-authenticate')).toBe(auth === 'off' ? null : 'Bearer realm="shelf"');
  });
});
