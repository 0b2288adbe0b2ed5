/** TLS to a PostgreSQL that requires it: sslmode, sslrootcert and client certificates, for servers and for commands. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from '../postgres/cluster.ts';
import { postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { Authority, type Issued } from '../support/servers/network/certificate.ts';
import { runShelf, type Shelf, startShelf } from '../support/servers/process.ts';

const widget = '{"id":1,"name":"Widget","price":9.99}';
const access = `
hostssl all owner 127.0.0.1/32 trust
hostssl all shelf 127.0.0.1/32 cert
`;

describe.skipIf(postgresUrl === undefined)('TLS to PostgreSQL', () => {
  const folder = temporaryFolder();
  const [servers, clients, others] = ['servers', 'clients', 'others'].map((name) => new Authority(name)) as [
    Authority,
    Authority,
    Authority,
  ];
  const running: Shelf[] = [];
  let cluster: Cluster;

  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const root = file('root.crt', servers.cert);
  const otherRoot = file('other.crt', others.cert);
  const paths = (name: string, { cert, key }: Issued) =>
    `&sslcert=${file(`${name}.crt`, cert)}&sslkey=${file(`${name}.key`, key)}`;
  const client = paths('shelf', clients.issue({ name: 'shelf' }));
  const stranger = paths('stranger', others.issue({ name: 'shelf' }));
  const wrongName = paths('someone', clients.issue({ name: 'someone' }));
  const full = `sslmode=verify-full&sslrootcert=${root}`;

  /** Of a new database. The certificate of the server is for localhost. */
  let made = 0;
  async function newUrl(query: string, { host = 'localhost', user = 'shelf' } = {}): Promise<string> {
    const name = `made_${made++}`;
    await cluster.run(`create database ${name} owner shelf`);
    return `postgres://${user}@${host}:${cluster.port}/${name}?${query}`;
  }

  /** Written for the user that PostgreSQL runs as. */
  function give(name: string, text: string): void {
    const path = join(cluster.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (process.getuid?.() === 0) chownSync(path, 65534, 65534);
  }

  beforeAll(async () => {
    cluster = new Cluster({ ssl: 'on', ssl_ca_file: 'clients.crt', fsync: 'off' });
    const { cert, key } = servers.issue({ name: 'localhost', hosts: ['localhost'] });
    give('server.crt', cert);
    give('server.key', key);
    give('clients.crt', clients.cert);
    await cluster.start();
    await cluster.run('create role shelf login', 'create role owner login superuser');
    const ownAccess = 'hostnossl all postgres 127.0.0.1/32 trust';
    give('pg_hba.conf', `${ownAccess}${access}`);
    await cluster.reload();
  });
  afterAll(async () => {
    for (const shelf of running) await shelf.stop('SIGKILL');
    await cluster.remove();
  });

  async function start(database: string): Promise<Shelf> {
    const shelf = await startShelf({ args: ['--database', database] });
    running.push(shelf);
    return shelf;
  }

  test('a server reads, writes and follows the feed over TLS, as the name of its certificate', async () => {
    const shelf = await start(await newUrl(full + client));
    const created = await fetch(`${shelf.url}/api/items`, { method: 'POST', body: '{"id":2,"name":"two","price":2}' });
    expect(created.status).toBe(201);
    expect(await (await fetch(`${shelf.url}/api/items/1`)).text()).toBe(widget);
    const bulk = {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: '{"name":"a","price":1}\n'.repeat(1000),
    };
    expect((await fetch(`${shelf.url}/api/v2/items`, bulk)).status).toBe(201);
    expect(((await (await fetch(`${shelf.url}/api/items`)).json()) as unknown[]).length).toBe(1002);
    const name = new URL(shelf.output().match(/postgres:\/\/[^"]+/)?.[0] ?? '').pathname.slice(1);
    const sessions = await cluster.run(
      `select distinct ssl, client_dn from pg_stat_ssl join pg_stat_activity using (pid) where datname = '${name}'`,
    );
    expect([...sessions]).toEqual([[true, '/CN=shelf']]);
    expect(await shelf.stop()).toBe(0);
  });

  test.each([
    ['require, with any certificate', 'sslmode=require', { host: '127.0.0.1', user: 'owner' }],
    ['verify-ca, with any name', `sslmode=verify-ca&sslrootcert=${root}`, { host: '127.0.0.1', user: 'owner' }],
    [
      'require with sslrootcert, with any name',
      `sslmode=require&sslrootcert=${root}`,
      { host: '127.0.0.1', user: 'owner' },
    ],
    ['verify-full', full, { user: 'owner' }],
    ['require with a client certificate', `sslmode=require${client}`, { host: '127.0.0.1' }],
    ['verify-full with a client certificate', full + client, {}],
  ])('sslmode: %s', async (_, query, to) => {
    const { stderr, code } = await runShelf({ args: ['migrate', '--database', await newUrl(query, to)] });
    expect(stderr).not.toContain('Cannot');
    expect(code).toBe(0);
  });

  test.each([
    [
      'another name',
      full + client,
      { host: '127.0.0.1' },
      'the certificate of its server is for another name): connect to a name in the certificate',
    ],
    [
      'another authority',
      `sslmode=verify-full&sslrootcert=${otherRoot}${client}`,
      {},
      'from an unknown authority): set sslrootcert',
    ],
    [
      'another authority, any name',
      `sslmode=verify-ca&sslrootcert=${otherRoot}${client}`,
      {},
      'from an unknown authority',
    ],
    [
      'another authority, require',
      `sslmode=require&sslrootcert=${otherRoot}${client}`,
      {},
      'from an unknown authority',
    ],
    ['no authority', `sslmode=verify-full${client}`, {}, 'from an unknown authority'],
    ['no TLS', 'sslmode=disable', {}, 'no pg_hba.conf entry'],
    ['no client certificate', full, {}, 'connection requires a valid client certificate'],
    [
      'a client certificate of another name',
      full + wrongName,
      {},
      'certificate authentication failed for user "shelf"',
    ],
    [
      'a client certificate of another authority',
      full + stranger,
      {},
      'TLS failed: tlsv1 alert unknown ca): check sslrootcert, sslcert and sslkey',
    ],
    [
      'a file without a certificate',
      `sslmode=verify-full&sslrootcert=${file('text', 'none')}`,
      {},
      'Cannot use the database (',
    ],
  ])('%s is refused in one line, by a server at once and by commands', async (_, query, to, message) => {
    const database = await newUrl(query, to);
    // A variable of the runtime that turns checks off must not count.
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const served = await runShelf({ args: ['--database', database, '--port', '0', '--database-wait', '3600s'], env });
    const moved = await runShelf({ args: ['move', '--from', database, '--to', `sqlite:${join(folder, 'never.db')}`] });
    const planned = await runShelf({ args: ['migrate', '--plan', '--database', database] });
    for (const { stderr, stdout, code } of [served, moved, planned]) {
      expect(stderr).toStartWith('shelf: ');
      expect(stderr.trimEnd()).not.toContain('\n');
      expect(stdout).toBe('');
      expect(code).toBe(1);
    }
    expect(served.stderr).toContain(message);
    expect(planned.stderr).toContain(message);
    expect(existsSync(join(folder, 'never.db'))).toBe(false);
  });

  test('renewed files of the client certificate are used when PostgreSQL refuses the old one', async () => {
    const shelf = await start(await newUrl(full + paths('renewed', clients.issue({ name: 'shelf' }))));
    const read = () => fetch(`${shelf.url}/api/items/1`);
    expect((await read()).status).toBe(200);
    give('clients.crt', others.cert);
    await cluster.reload();
    // More than once: a connection that is being made has no application_name yet.
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'shelf'`;
    do await cluster.run(terminate);
    while ((await read()).status !== 503);
    paths('renewed', others.issue({ name: 'shelf' }));
    while ((await read()).status !== 200) await Bun.sleep(10);
    const body = '{"id":2,"name":"two","price":2}';
    expect((await fetch(`${shelf.url}/api/items`, { method: 'POST', body })).status).toBe(201);
    give('clients.crt', clients.cert);
    await cluster.reload();
  });

  test('a server without TLS is refused, unless sslmode allows it', async () => {
    const plain = postgresUrl?.replace('127.0.0.1', 'localhost') ?? '';
    const { stderr, code } = await runShelf({ args: ['--database', `${plain}?${full}`, '--port', '0'] });
    expect(stderr).toContain('(its server does not offer TLS): turn on ssl in PostgreSQL');
    expect(code).toBe(1);
  });

  test('commands for whole databases use the same URL', async () => {
    const database = await newUrl(full + client);
    const copy = join(folder, 'copy.db');
    for (const args of [
      ['migrate', '--database', database],
      ['keys', 'create', '--name', 'ci', '--scope', 'read', '--database', database],
      ['export', join(folder, 'export'), '--database', database],
      ['verify', '--database', database],
      ['move', '--from', database, '--to', `sqlite:${copy}`],
    ]) {
      const { stderr, code } = await runShelf({ args });
      expect({ args, stderr: code === 0 ? '' : stderr, code }).toEqual({ args, stderr: '', code: 0 });
    }
    expect(existsSync(copy)).toBe(true);
  });

  test.each([
    [
      `sslrootcert=${root}`,
      'sslrootcert in the database URL needs sslmode=require, verify-ca or verify-full, not disable.',
    ],
    [
      `sslmode=prefer${client}`,
      'sslcert in the database URL needs sslmode=require, verify-ca or verify-full, not prefer.',
    ],
    ['sslmode=require&sslcert=/x', 'sslcert and sslkey in the database URL need each other: set both.'],
    ['sslmode=verify-full&sslrootcert=/nowhere/x', 'Cannot read sslrootcert /nowhere/x of the database URL (ENOENT'],
  ])('%s is refused in one line', async (query, message) => {
    const { stderr, code } = await runShelf({ args: ['--database', `postgres://u@localhost/x?${query}`] });
    expect(stderr).toStartWith(`shelf: ${message}`);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(code).toBe(1);
  });
});
