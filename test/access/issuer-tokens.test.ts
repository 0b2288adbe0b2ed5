/** Tokens of --oidc-issuer that are forged, or not meant for this server; what an issuer can do to it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { exportJWK, exportSPKI, generateKeyPair } from 'jose';
import { FakeIssuer, type Pair } from '../support/servers/issuers/fake-issuer.ts';
import { audience } from '../support/servers/issuers/issuer.ts';
import { runShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { ServerLog } from '../support/servers/server-log.ts';

const withIssuers = (...issuers: readonly string[]) => ({
  access: { auth: 'all' as const, oidcIssuer: { value: issuers }, oidcAudience: { value: audience } },
});
const statusOf = async ({ url }: TestServer, token: string) =>
  (await fetch(`${url}/api/items`, { headers: { Authorization: `Bearer ${token}` } })).status;
const now = () => Math.floor(Date.now() / 1000);

describe('a token', () => {
  let issuer: FakeIssuer;
  let other: FakeIssuer;
  let server: TestServer;
  let known: Pair;
  let unnamed: Pair;
  const status = (token: string) => statusOf(server, token);
  const signed = (claims: object = {}, header: object = {}, key: Pair['privateKey'] | Uint8Array = known.privateKey) =>
    issuer.sign(key, { kid: 'one', alg: 'ES256', ...header }, { ...claims });

  beforeAll(async () => {
    [issuer, other] = [FakeIssuer.start(), FakeIssuer.start()];
    known = await issuer.publish('one', 'ES256');
    unnamed = await issuer.publish('rsa', 'RS256', false);
    await other.publish('one', 'ES256');
    server = await startServer(withIssuers(issuer.url, other.url));
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([issuer.stop(), other.stop()]);
  });

  test('of the issuer, for this audience, is accepted', async () => {
    expect(await status(await signed())).toBe(200);
    expect(await status(await signed({ aud: ['other', audience] }))).toBe(200);
  });

  test('is accepted while the clocks differ by five seconds at most', async () => {
    expect(await status(await signed({ exp: now() - 1 }))).toBe(200);
    expect(await status(await signed({ nbf: now() + 3 }))).toBe(200);
    expect(await status(await signed({ exp: now() - 6 }))).toBe(401);
    expect(await status(await signed({ nbf: now() + 60 }))).toBe(401);
  });

  type Forged = () => Promise<string>;
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = () => ({ iss: issuer.url, aud: audience, sub: 'ada', scope: 'admin', exp: now() + 300 });
  test.each<[string, Forged]>([
    ['for another audience', () => signed({ aud: 'other' })],
    ['without an audience', () => signed({ aud: undefined })],
    ['of an unknown issuer', () => signed({ iss: 'https://evil.example.com' })],
    ['of this issuer but for a slash', () => signed({ iss: `${issuer.url}/` })],
    ['with the key of another issuer', async () => other.sign(known.privateKey, { kid: 'one', alg: 'ES256' })],
    ['without an issuer', () => signed({ iss: undefined })],
    ['without a subject', () => signed({ sub: undefined })],
    ['without a scope of Shelf', () => signed({ scope: 'openid' })],
    ['with an expiry that is a text', () => signed({ exp: '9999999999' })],
    ['without an expiry', () => signed({ exp: undefined })],
    ['without a signature', async () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
    ['without a signature, in other letters', async () => `${encode({ alg: 'nOnE' })}.${encode(claims())}.`],
    [
      'that is signed with the public key as a secret',
      async () =>
        signed({}, { alg: 'HS256', kid: 'rsa' }, new TextEncoder().encode(await exportSPKI(unnamed.publicKey))),
    ],
    [
      'that is signed with the published key as a secret',
      async () => signed({}, { kid: 'one', alg: 'HS256' }, new TextEncoder().encode(JSON.stringify(issuer.keys[0]))),
    ],
    // The key is published, but the issuer names neither for it nor for its ID tokens this algorithm.
    [
      'with an algorithm that the issuer does not use',
      () => signed({}, { kid: 'rsa', alg: 'RS256' }, unnamed.privateKey),
    ],
    [
      'that brings its own key',
      async () => {
        const own = await generateKeyPair('ES256', { extractable: true });
        const header = {
          alg: 'ES256',
          jwk: await exportJWK(own.publicKey),
          jku: `${issuer.url}/evil`,
          x5u: `${issuer.url}/evil`,
        };
        return signed({}, { kid: undefined, ...header }, own.privateKey);
      },
    ],
    ['with an extension that has to be understood', () => signed({}, { crit: ['x'], x: 1 })],
    [
      'with other claims under its signature',
      async () => {
        const [head, , signature] = (await signed()).split('.');
        return `${head}.${encode({ ...claims(), scope: 'admin' })}.${signature}`;
      },
    ],
    ['that is encrypted', async () => 'a.b.c.d.e'],
    ['that is nonsense', async () => '..'],
    [
      'whose claims are no object',
      async () => `${encode({ alg: 'ES256' })}.${Buffer.from('7').toString('base64url')}.AA`,
    ],
    [
      'whose claims are nested deeply',
      async () => `${encode({ alg: 'ES256' })}.${Buffer.from('['.repeat(6000)).toString('base64url')}.AA`,
    ],
  ])('%s is refused', async (_, forge) => {
    expect(await status(await forge())).toBe(401);
    expect(issuer.asked).not.toContain('/evil');
  });

  test('of 15 KiB is accepted, and a longer one is no request', async () => {
    const long = await signed({ pad: 'x'.repeat(10_900) });
    expect(long.length).toBeGreaterThan(14_500);
    expect(await status(long)).toBe(200);
    expect(await status(await signed({ pad: 'x'.repeat(14_000) }))).toBe(431);
  });

  test('with a key that is not published makes the issuer be read once, whoever sends it', async () => {
    const stranger = await generateKeyPair('ES256');
    issuer.asked.length = 0;
    const forged = await Promise.all(
      Array.from({ length: 30 }, (_, n) => signed({}, { kid: `forged ${n}`, alg: 'ES256' }, stranger.privateKey)),
    );
    const answers = Promise.all(forged.map(status));
    // They wait, and delay nobody.
    expect(await status(await signed())).toBe(200);
    expect(new Set(await answers)).toEqual(new Set([401]));
    expect(issuer.asked.filter((path) => path === '/jwks').length).toBeLessThanOrEqual(2);
  });

  test('that has expired makes no issuer be read', async () => {
    issuer.asked.length = 0;
    expect(await status(await signed({ exp: now() - 60 }, { kid: 'gone', alg: 'ES256' }))).toBe(401);
    expect(issuer.asked).toEqual([]);
  });
});

describe('an issuer', () => {
  type Fault = (issuer: FakeIssuer) => void;
  /** The first bytes arrive, and the answer never ends. */
  const endless = (chunk: string, everyMs: number) =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(everyMs);
          controller.enqueue(new TextEncoder().encode(chunk));
        },
      }),
    );
  const discovery = (path: string) => path.startsWith('/.well-known');

  test.each<[string, Fault, string]>([
    [
      'that names another issuer',
      (issuer) => {
        issuer.document = { issuer: 'https://id.example.com' };
      },
      'names another issuer, "https://id.example.com": set --oidc-issuer',
    ],
    [
      'with keys over http elsewhere',
      (issuer) => {
        issuer.document = { jwks_uri: 'http://id.example.com/jwks' };
      },
      'a jwks_uri that is not an https URL, "http://id.example.com/jwks"',
    ],
    [
      'whose document redirects',
      (issuer) => {
        issuer.answer = (path) => (discovery(path) ? Response.redirect(`${issuer.url}/other`) : undefined);
      },
      '/.well-known/openid-configuration answered 302',
    ],
    [
      'whose keys redirect',
      (issuer) => {
        issuer.answer = (path) => (path === '/jwks' ? Response.redirect(`${issuer.url}/other`, 307) : undefined);
      },
      '/jwks answered 307',
    ],
    [
      'that is no issuer',
      (issuer) => {
        issuer.answer = () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } });
      },
      'answered with a text that is not JSON',
    ],
    [
      'whose keys are none',
      (issuer) => {
        issuer.answer = (path) => (path === '/jwks' ? Response.json({ keys: 'none' }) : undefined);
      },
      'its jwks_uri has no JWK set',
    ],
    [
      'that answers without an end',
      (issuer) => {
        issuer.answer = () => endless(' '.repeat(256 * 1024), 0);
      },
      'answered with more than 1048576 bytes',
    ],
    [
      'that answers with a compressed text without an end',
      (issuer) => {
        const bomb = Bun.gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
        issuer.answer = () => new Response(bomb, { headers: { 'Content-Encoding': 'gzip' } });
      },
      'answered with more than 1048576 bytes',
    ],
    [
      'that answers byte by byte',
      (issuer) => {
        issuer.answer = (path) => (path === '/jwks' ? endless(' ', 100) : undefined);
      },
      '/jwks did not answer within 5 seconds',
    ],
  ])('%s is reported in one line, and its tokens are accepted when it is well again', async (_, fault, reason) => {
    const issuer = FakeIssuer.start();
    const log = new ServerLog();
    const pair = await issuer.publish('one', 'ES256');
    fault(issuer);
    const server = await startServer({ ...withIssuers(issuer.url), logTo: log.logTo });
    try {
      expect(log.named('issuer')).toMatchObject([{ level: 'warn', message: expect.stringContaining(reason) }]);
      expect(log.named('error')).toEqual([]);
      expect(issuer.asked).not.toContain('/other');
      // The issuer is well again.
      issuer.document = {};
      issuer.answer = () => undefined;
      expect(await statusOf(server, await issuer.sign(pair.privateKey, { kid: 'one', alg: 'ES256' }))).toBe(200);
      expect(await log.count('issuer', 2)).toMatchObject([{}, { level: 'info' }]);
    } finally {
      await server.stop();
      await issuer.stop();
    }
  });
});

const oidc = ['--oidc-issuer', 'https://id.example.com', '--oidc-audience', 'a', '--auth', 'all'];

test.each([
  [['--oidc-audience', 'a'], '--oidc-audience needs --oidc-issuer'],
  [['--oidc-issuer', 'https://id.example.com'], '--oidc-issuer needs --oidc-audience'],
  [['--oidc-issuer', 'https://id.example.com', '--oidc-audience', 'a'], '--oidc-issuer needs --auth'],
  [['--oidc-issuer', 'http://id.example.com'], '--oidc-issuer must be issuers such as'],
  [
    [
      '--oidc-issuer',
      'https://id.example.com',
      '--oidc-audience',
      'a',
      '--auth',
      'all',
      '--jwt-issuer',
      'https://id.example.com',
      '--jwt-keys',
      '/nowhere',
      '--jwt-audience',
      'a',
    ],
    '--oidc-issuer and --jwt-issuer both name https://id.example.com: leave out --jwt-issuer.',
  ],
  [['--oidc-client', 'a'], '--oidc-client needs --oidc-issuer: set it to the issuer where people sign in.'],
  [['--oidc-scope', 'a'], '--oidc-scope needs --oidc-client: set it to the id of the console at the issuer.'],
  [[...oidc, '--auth', 'off', '--oidc-client', 'a'], '--oidc-issuer needs --auth write or --auth all'],
  [
    [...oidc, '--oidc-client', 'a', '--console', 'off'],
    '--oidc-client needs --console on: people sign in to the console.',
  ],
  [[...oidc, '--oidc-client', 'a', '--docs', 'off'], '--oidc-client needs --docs on or --docs admin'],
  [
    [...oidc, '--oidc-client', 'a,b'],
    '--oidc-client has 2 values, and --oidc-issuer has 1: give one for all issuers, or',
  ],
  [[...oidc, '--oidc-client', 'a', '--oidc-scope', 'a,b'], '--oidc-scope has 2 values, and --oidc-issuer has 1: give'],
  [[...oidc, '--oidc-client', 'a b'], '--oidc-client must be the id of a public client such as shelf-console'],
  [[...oidc, '--oidc-client', 'a', '--oidc-scope', 'a,,b'], '--oidc-scope must be scopes such as'],
])('%j is one line that says what to do', async (args, expected) => {
  const { code, stderr } = await runShelf({ args: [...args, '--database', 'memory:', '--port', '0'] });
  expect({ code: code > 0, lines: stderr.split('\n').length }).toEqual({ code: true, lines: 2 });
  expect(stderr).toContain(expected);
});
