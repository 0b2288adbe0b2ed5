/** HTTPS: the certificate and its mistakes, renewal, client certificates, protocols, and the port that redirects. */
import { afterEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { createClient } from '../../src/client/index.ts';
import { Attempt } from '../../src/client/send/attempt.ts';
import { failureOf } from '../client/failure-of.ts';
import type { Shelf as Collections } from '../client/shelf.d.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { Authority, type Issued } from '../support/servers/network/certificate.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { connectTo, openRaw } from '../support/servers/network/socket.ts';
import { TlsFolder } from '../support/servers/network/tls.ts';
import { runShelf, type Shelf, startShelf } from '../support/servers/process.ts';
import { type ServerOptions, startServer, type TestServer } from '../support/servers/server.ts';
import { ServerLog } from '../support/servers/server-log.ts';

const memory = ['--database', 'memory:'];
const running: (TestServer | Shelf)[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

/** A server over TLS in this process, and its log. */
async function secure(options: ServerOptions = {}, files = new TlsFolder(temporaryFolder())) {
  const log = new ServerLog();
  const server = await startServer({ logTo: log.logTo, ...options, tls: { ...files.settings, ...options.tls } });
  running.push(server);
  return { server, files, log };
}

async function shelfWith(...args: readonly string[]): Promise<Shelf> {
  const shelf = await startShelf({ args: [...memory, ...args] });
  running.push(shelf);
  return shelf;
}

/** Sends a request on an open connection, and returns the head and the body. */
async function ask(socket: TLSSocket, request: string): Promise<string> {
  const answer = once(socket, 'data');
  socket.write(request);
  return String((await answer)[0]);
}

const get = 'GET /api/items/1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
const widget = '{"id":1,"name":"Widget","price":9.99}';

describe('HTTPS', () => {
  test('a request, a large body and a long list arrive whole, and the start page names https', async () => {
    const { server, files } = await secure();
    expect(server.url).toStartWith('https://127.0.0.1:');
    const lines = Array.from({ length: 20_000 }, (_, n) => `{"name":"${`number ${n} `.repeat(10)}","price":${n}}`);
    const bulk = await fetch(`${server.url}/api/v2/items`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: lines.join('\n'),
      ...files.trust(),
    });
    expect(bulk.status).toBe(201);
    const answer = await fetch(`${server.url}/api/items`, files.trust());
    const list = (await answer.json()) as { name: string }[];
    expect(list.length).toBe(20_001);
    expect(list.at(-1)?.name).toBe('number 19999 '.repeat(10));
    const page = await fetch(server.url, { headers: { Accept: 'text/html' }, ...files.trust() });
    expect(await page.text()).toContain(`curl ${server.url}/api`);
  });

  test('the banner and the addresses in it are https', async () => {
    const files = new TlsFolder(temporaryFolder());
    const shelf = await shelfWith(...files.args);
    expect(shelf.url).toStartWith('https://127.0.0.1:');
    expect(await (await fetch(`${shelf.url}/api/items/1`, files.trust())).text()).toBe(widget);
  });

  test('a connection is kept, and ends in order with Connection: close', async () => {
    const { server, files } = await secure();
    const socket = await files.connect(server.url);
    expect(socket.alpnProtocol).toBe('http/1.1');
    for (let n = 0; n < 3; n++) expect(await ask(socket, get)).toEndWith(widget);
    const ended = once(socket, 'end');
    expect(await ask(socket, get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).toEndWith(widget);
    await ended;
  });

  test('plain HTTP on the port with TLS is closed without an answer, and logged', async () => {
    const { server, files, log } = await secure();
    expect(await openRaw(server.url, get).closed).toBe('');
    expect(await log.count('handshake', 1)).toMatchObject([
      { level: 'info', client: '127.0.0.1', reason: 'http request' },
    ]);
    // A check of the port is no failed handshake.
    const check = openRaw(server.url, '');
    await once(check.socket, 'connect');
    check.socket.end();
    await check.closed;
    expect((await fetch(`${server.url}/healthz`, files.trust())).status).toBe(200);
    expect(log.named('handshake')).toHaveLength(1);
  });

  test('a record that cannot be decrypted ends its connection, and is no error of the server', async () => {
    const { server, files, log } = await secure();
    const raw = connectTo(server.url);
    const socket = connect({ socket: raw, ca: files.authority.cert, servername: 'localhost' });
    await once(socket, 'secureConnect');
    expect(await ask(socket, get)).toEndWith(widget);
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
    raw.write(Buffer.from('17030300100102030405060708090a0b0c0d0e0f10', 'hex'));
    await closed;
    expect(log.entries.filter(({ event }) => event !== 'request')).toEqual([]);
  });
});

describe('a mistake in a file is one line at the start', () => {
  const folder = temporaryFolder();
  const files = new TlsFolder(folder);
  const path = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const past = files.authority.issue({ name: 'localhost', from: new Date('2020-01-01'), to: new Date('2021-02-03') });
  const future = files.authority.issue({ name: 'localhost', from: new Date('2048-01-02'), to: new Date('2049-01-01') });
  const other = path('other.key', new Authority('other').issue({ name: 'x' }).key);
  const text = path('text', 'no certificate');
  const broken = path('broken', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const encrypted = path(
    'encrypted',
    '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n',
  );
  const pair = (cert: string, key: string) => ['--tls-cert', cert, '--tls-key', key];
  test.each([
    [['--tls-cert', files.cert], '--tls-cert needs --tls-key'],
    [['--tls-key', files.key], '--tls-key needs --tls-cert'],
    [['--tls-client-ca', files.clientCa], '--tls-client-ca needs --tls-cert and --tls-key'],
    [['--http-redirect', '8081'], '--http-redirect needs --tls-cert and --tls-key'],
    [pair('/nowhere/x.crt', files.key), 'Cannot read --tls-cert /nowhere/x.crt (ENOENT'],
    [pair(files.cert, '/nowhere/x.key'), 'Cannot read --tls-key /nowhere/x.key (ENOENT'],
    [[...files.args, '--tls-client-ca', '/nowhere/ca'], 'Cannot read --tls-client-ca /nowhere/ca (ENOENT'],
    [pair(text, files.key), `--tls-cert ${text} has no valid certificate`],
    [pair(broken, files.key), `--tls-cert ${broken} has no valid certificate`],
    [pair(files.cert, text), `--tls-key ${text} has no valid private key`],
    [pair(files.cert, encrypted), `--tls-key ${encrypted} is encrypted`],
    [pair(files.cert, other), `--tls-key ${other} is not the key of --tls-cert ${files.cert}`],
    [pair(path('past.crt', past.cert), path('past.key', past.key)), 'has expired (2021-02-03)'],
    [pair(path('future.crt', future.cert), path('future.key', future.key)), 'is not valid before 2048-01-02'],
    [[...files.args, '--tls-client-ca', text], `--tls-client-ca ${text} has no valid certificate`],
  ])('%j', async (args, message) => {
    const { stdout, stderr, code } = await runShelf({ args: [...memory, ...args] });
    expect(stderr).toStartWith('shelf: ');
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});

describe.each([1, 3])('renewal with %i serving threads', (threads) => {
  /** Over so many new connections that each of three threads gets one. */
  const onAll = <Seen>(look: () => Promise<Seen>) => Promise.all(Array.from({ length: 12 }, look));
  const serialOf = async (files: TlsFolder, url: string) => {
    const serials = await onAll(async () => {
      const socket = await files.connect(url);
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    });
    expect(new Set(serials).size).toBe(1);
    return serials[0];
  };
  /** The earliest. */
  const expiryOf = async (files: TlsFolder, url: string) => {
    const scrapes = await onAll(async () => {
      const answer = await fetch(`${url}/metrics`, { ...files.trust(), keepalive: false });
      const values = [...(await answer.text()).matchAll(/^shelf_tls_expiry_seconds (-?\d+)$/gm)];
      expect(values).toHaveLength(1);
      return Number(values[0]?.[1]);
    });
    return Math.min(...scrapes);
  };

  test('a renewed certificate is used without a restart; open connections stay; a wrong one is not used', async () => {
    const files = new TlsFolder(temporaryFolder());
    const shelf = await shelfWith(...files.args, '--metrics', 'on', '--threads', `${threads}`);
    const kept = await files.connect(shelf.url);
    expect(await ask(kept, get)).toEndWith(widget);
    const first = await serialOf(files, shelf.url);
    expect(await expiryOf(files, shelf.url)).toBeWithin(29 * 86_400, 31 * 86_400);

    const to = new Date(Date.now() + 90 * 86_400_000);
    files.renew({ to });
    const entry = await shelf.line(({ event }) => event === 'certificate');
    expect(entry).toMatchObject({
      level: 'info',
      message: expect.stringContaining('Using the renewed certificate CN=localhost'),
    });
    const second = await serialOf(files, shelf.url);
    expect(second).not.toBe(first);
    expect(await expiryOf(files, shelf.url)).toBeWithin(89 * 86_400, 91 * 86_400);
    expect(await ask(kept, get)).toEndWith(widget);

    files.write(files.authority.issue({ name: 'localhost', from: new Date('2020-01-01'), to: new Date('2021-02-03') }));
    const warning = await shelf.line(({ event }) => event === 'certificate');
    expect(warning.level).toBe('warn');
    expect(String(warning.message)).toContain('has expired (2021-02-03)');
    expect(String(warning.message)).toContain(`certificate in use, valid until ${to.toISOString().slice(0, 10)}`);
    expect(await serialOf(files, shelf.url)).toBe(second);
    expect(await ask(kept, get)).toEndWith(widget);
    kept.destroy();
  });
});

describe('client certificates', () => {
  test('a client without a certificate of the authority cannot connect; the name of one that has it is logged', async () => {
    const files = new TlsFolder(temporaryFolder());
    const { server, log } = await secure({ tls: { clientCa: { value: files.clientCa } } }, files);
    const known = files.client({ name: 'billing', organization: 'Example' });
    const answer = await fetch(`${server.url}/api/items/1`, files.trust(known));
    expect(await answer.text()).toBe(widget);
    expect(await log.of(answer)).toMatchObject({ certificate: 'O=Example, CN=billing' });

    const stranger = new Authority('Shelf Test Clients').issue({ name: 'billing' });
    const own = files.authority.issue({ name: 'localhost' });
    const late = files.clients.issue({ name: 'billing', from: new Date('2020-01-01'), to: new Date('2021-02-03') });
    for (const client of [undefined, stranger, own, late])
      await expect(fetch(`${server.url}/api/items/1`, files.trust(client))).rejects.toThrow();
    expect(await log.count('handshake', 4)).toHaveLength(4);
    expect(log.named('request')).toHaveLength(1);
  });
});

test('authorities of clients can be replaced: then clients of the old ones cannot connect', async () => {
  const files = new TlsFolder(temporaryFolder());
  const shelf = await shelfWith(...files.args, '--tls-client-ca', files.clientCa);
  const [former, next] = [files.client({ name: 'former' }), files.authority.issue({ name: 'next' })];
  const read = (client: Issued) =>
    fetch(`${shelf.url}/api/items/1`, { ...files.trust(client), keepalive: false }).then(
      ({ status }) => status,
      () => 'refused',
    );
  expect([await read(former), await read(next)]).toEqual([200, 'refused']);
  writeFileSync(files.clientCa, files.authority.cert);
  await shelf.line(({ event }) => event === 'certificate');
  expect([await read(former), await read(next)]).toEqual(['refused', 200]);
});

test('a command for a server over TLS trusts the authority in NODE_EXTRA_CA_CERTS', async () => {
  const files = new TlsFolder(temporaryFolder());
  const shelf = await shelfWith(...files.args);
  const args = ['types', '--url', shelf.url];
  const trusted = await runShelf({ args, env: { NODE_EXTRA_CA_CERTS: files.authorityFile } });
  expect(trusted.stdout).toContain('items');
  expect(trusted.code).toBe(0);
  const file = join(temporaryFolder(), 'users.csv');
  writeFileSync(file, 'name\nAda\n');
  const importing = ['import', file, '--collection', 'users', '--url', shelf.url];
  expect((await runShelf({ args: importing, env: { NODE_EXTRA_CA_CERTS: files.authorityFile } })).code).toBe(0);
  for (const one of [args, importing]) {
    const untrusted = await runShelf({ args: one });
    expect(untrusted.code).toBe(1);
    expect(untrusted.stderr).toContain('set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority');
    expect(untrusted.stderr.trimEnd()).not.toContain('\n');
  }
  const failure = await failureOf(createClient<Collections>({ url: shelf.url, retries: 0 }).users.list());
  expect(failure.message).toContain('set NODE_EXTRA_CA_CERTS to a file');
});

test('the client on Node, whose fetch has the reason in the cause, names NODE_EXTRA_CA_CERTS, too', () => {
  const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  const failed = (error: Error) => new Attempt().failure(error).message;
  expect(failed(new TypeError('fetch failed', { cause }))).toStartWith(
    'The connection failed: self-signed certificate (set NODE_EXTRA_CA_CERTS',
  );
  const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  expect(failed(new TypeError('fetch failed', { cause: reset }))).toBe('The connection failed: fetch failed');
});

describe('protocols and ciphers', () => {
  const openssl = systemTool('openssl');
  if (openssl === undefined)
    process.stderr.write('\n!!! SKIPPED: TLS protocols and ciphers, because there is no openssl\n');
  test('in CI openssl is there', () => {
    if (process.env.CI) expect(openssl).toBeDefined();
  });

  /** The protocol, cipher and ALPN that openssl agrees on with the server; `refused` if they agree on none. */
  async function agreed(url: string, ...options: readonly string[]): Promise<string> {
    const command = [openssl ?? 'openssl', 's_client', '-connect', new URL(url).host, ...options];
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
    const output = await new Response(child.stdout).text();
    const [, protocol = '', cipher = ''] = /^New, (\S+), Cipher is (\S+)$/m.exec(output) ?? [];
    const alpn = /^ALPN protocol: (\S+)$/m.exec(output)?.[1];
    return cipher === '(NONE)' ? 'refused' : [protocol, cipher, alpn].filter(Boolean).join(' ');
  }

  test.skipIf(openssl === undefined)(
    'TLS 1.2 and 1.3 alone, with forward secrecy and authenticated encryption',
    async () => {
      const { server } = await secure();
      // Level 0 makes openssl offer what it offers to nobody by default.
      const all = ['-cipher', 'ALL:COMPLEMENTOFALL:@SECLEVEL=0'];
      expect(await agreed(server.url, '-tls1', ...all)).toBe('refused');
      expect(await agreed(server.url, '-tls1_1', ...all)).toBe('refused');
      expect(await agreed(server.url, '-tls1_2', '-alpn', 'http/1.1')).toMatch(/^TLSv1\.2 ECDHE-ECDSA-\S+ http\/1\.1$/);
      expect(await agreed(server.url, '-tls1_3', '-alpn', 'h2,http/1.1')).toMatch(/^TLSv1\.3 TLS_\S+ http\/1\.1$/);
      expect(await agreed(server.url, '-alpn', 'h2')).toBe('refused');
      expect(await agreed(server.url)).toStartWith('TLSv1.3');

      // The server picks one of all that are offered, until nothing of the rest is accepted.
      const accepted: string[] = [];
      for (let refused = false; !refused; ) {
        const offered = ['ALL', 'COMPLEMENTOFALL', ...accepted.map((name) => `!${name}`), '@SECLEVEL=0'].join(':');
        const picked = await agreed(server.url, '-tls1_2', '-cipher', offered);
        refused = picked === 'refused';
        if (!refused) accepted.push(picked.split(' ')[1] ?? '');
      }
      expect(accepted.sort()).toEqual([
        'ECDHE-ECDSA-AES128-GCM-SHA256',
        'ECDHE-ECDSA-AES256-GCM-SHA384',
        'ECDHE-ECDSA-CHACHA20-POLY1305',
      ]);
    },
  );
});

describe('--http-redirect', () => {
  test('plain HTTP is redirected to the same path and query over TLS, whatever the method', async () => {
    const port = freePort();
    const { server, files, log } = await secure({ tls: { redirect: { value: port } } });
    const secured = new URL(server.url).port;
    const plain = `http://127.0.0.1:${port}`;
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await fetch(`${plain}/api/items?a=1&b=%20`, { method, redirect: 'manual' });
      expect(answer.status).toBe(308);
      expect(answer.headers.get('Location')).toBe(`https://127.0.0.1:${secured}/api/items?a=1&b=%20`);
    }
    expect(log.named('request')).toHaveLength(3);
    const followed = await fetch(`${plain}/api/items/1`, files.trust());
    expect(await followed.text()).toBe(widget);
  });

  const asked = (line: string, host: string) => `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  test.each([
    ['a name with a port', asked('GET /a', 'localhost:80'), 308, 'https://localhost:PORT/a'],
    ['an absolute target', asked('GET http://localhost?q', 'other'), 308, 'https://localhost:PORT/?q'],
    ['two slashes', asked('GET //evil.example/', 'localhost'), 308, 'https://localhost:PORT//evil.example/'],
    ['a foreign name', asked('GET /a', 'evil.example'), 403, undefined],
    ['no name', asked('GET /a', 'a b'), 400, undefined],
    ['HTTP/1.0 without Host', 'GET /a HTTP/1.0\r\n\r\n', 400, undefined],
    ['the whole server', asked('OPTIONS *', 'localhost'), 400, undefined],
    ['input that is not HTTP', 'nonsense\r\n\r\n', 400, undefined],
  ])('%s', async (_, request, status, location) => {
    const port = freePort();
    const { server } = await secure({ tls: { redirect: { value: port } } });
    const answer = await openRaw(`http://127.0.0.1:${port}`, request).closed;
    expect(answer).toStartWith(`HTTP/1.1 ${status} `);
    const found = /^Location: (.*)$/m.exec(answer)?.[1]?.trim();
    expect(found).toBe(location?.replace('PORT', new URL(server.url).port));
  });

  test('a redirect port that is in use is one line at the start', async () => {
    const files = new TlsFolder(temporaryFolder());
    const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const args = [...memory, '--port', '0', ...files.args, '--http-redirect', String(taken.port)];
    const { stderr, code } = await runShelf({ args });
    taken.stop(true);
    expect(stderr).toBe(
      `shelf: Cannot listen on port ${taken.port} on 127.0.0.1: the port is in use. Stop the process that uses it, or choose another --http-redirect.\n`,
    );
    expect(code).toBe(1);
  });
});
