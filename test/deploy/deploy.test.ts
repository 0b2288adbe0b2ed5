/** The deployment examples for several instances use only settings, files and services that exist. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { dirname, join } from 'node:path';
import { SQL } from 'bun';
import { readCommand } from '../../src/cli/config/config.ts';
import { allSettings } from '../../src/cli/settings/settings.ts';
import { parseRanges } from '../../src/http/access/client-address.ts';
import { addressOf, serversOf } from '../../src/storage/postgres/connect/servers.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { root } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

const folder = join(root, 'deploy');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

type Service = {
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: string[] | Record<string, unknown>;
  networks?: Record<string, { ipv4_address: string }>;
};
type Network = { ipam: { config: { subnet: string; ip_range: string }[] } };
type Compose = { services: Record<string, Service>; networks: Record<string, Network> };
const examples = ['compose.yaml', 'cluster/compose.yaml'].map((name) => {
  const compose = Bun.YAML.parse(read(name)) as Compose;
  return [name, { ...compose, folder: join(folder, dirname(name)) }] as const;
});

test.each(examples)(
  'in %s every instance has known settings with valid values, and the collections',
  (_, { services, folder }) => {
    const known = allSettings.map(({ env }) => env);
    const ours = Object.values(services).filter(({ build }) => build?.dockerfile === 'deploy/Dockerfile');
    expect(ours.length).toBe(2);
    expect(read('Dockerfile')).toMatch(/^WORKDIR \/$/m);
    for (const { command = [], environment = {}, volumes = [] } of ours) {
      for (const name of Object.keys(environment)) expect(known).toContain(name);
      // Its working folder is that of the image, so the mounted file is found there.
      const [file = ''] = volumes.flatMap((volume) => /^(\.[^:]*):\/shelf\.json:ro$/.exec(volume)?.[1] ?? []);
      const parsed = readCommand(command, { ...environment, SHELF_CONFIG: join(folder, file) });
      expect('config' in parsed && parsed.config.database.url.kind).toBe('postgres');
      expect('collections' in parsed && parsed.collections.map(({ name }) => name)).toEqual([
        'items',
        'users',
        'books',
      ]);
    }
  },
);

test.each(examples)('in %s every named file and service exists', (_, { services, folder }) => {
  for (const { build, volumes = [], depends_on = [] } of Object.values(services)) {
    if (build !== undefined) expect(existsSync(join(folder, build.context, build.dockerfile))).toBe(true);
    for (const volume of volumes.filter((mount) => mount.startsWith('.')))
      expect(existsSync(join(folder, volume.split(':')[0] ?? ''))).toBe(true);
    for (const name of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
      expect(Object.keys(services)).toContain(name);
  }
  expect(read('nginx.conf')).toContain('server shelf:8000');
});

test.each(examples)('in %s only the balancer is a trusted proxy', (_, { services, networks }) => {
  const { ipv4_address: balancer = '' } = services.balancer?.networks?.default ?? {};
  expect(parseRanges(services.shelf?.environment?.SHELF_TRUSTED_PROXY ?? '')).toEqual([
    { address: balancer, prefix: 32, family: 'ipv4' },
  ]);
  const [{ subnet, ip_range } = { subnet: '', ip_range: '' }] = networks.default?.ipam.config ?? [];
  const within = (range: string) => {
    const block = new BlockList();
    const [address = '', prefix] = range.split('/');
    block.addSubnet(address, Number(prefix));
    return block.check(balancer);
  };
  expect([within(subnet), within(ip_range)]).toEqual([true, false]);
});

test('the cluster names every server in the URL, in etcd and in Patroni, and every commit waits for a standby', () => {
  const { services } = Bun.YAML.parse(read('cluster/compose.yaml')) as Compose;
  const environment = (name: string) => services[name]?.environment ?? {};
  const [databases, members] = [
    ['db1', 'db2', 'db3'],
    ['etcd1', 'etcd2', 'etcd3'],
  ];
  for (const name of ['shelf', 'migrate'])
    expect(serversOf(environment(name).DATABASE_URL ?? '').map(addressOf)).toEqual(databases);
  for (const name of members)
    expect(environment(name)).toMatchObject({
      ETCD_NAME: name,
      ETCD_ADVERTISE_CLIENT_URLS: `http://${name}:2379`,
      ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${name}:2380`,
      ETCD_INITIAL_CLUSTER: members.map((one) => `${one}=http://${one}:2380`).join(','),
      ETCD_PRE_VOTE: 'true',
    });
  for (const name of databases)
    expect(environment(name)).toMatchObject({
      PATRONI_NAME: name,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${name}:8008`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${name}:5432`,
      PATRONI_ETCD3_HOSTS: members.map((one) => `${one}:2379`).join(','),
    });
  const patroni = Bun.YAML.parse(read('cluster/patroni.yaml')) as { bootstrap: { dcs: Record<string, unknown> } };
  expect(patroni.bootstrap.dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true });
  for (const [, path = ''] of read('cluster/Dockerfile').matchAll(/(deploy\/\S+) /g))
    expect(existsSync(join(root, path))).toBe(true);
});

test('the image runs only existing scripts', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [, script = ''] of read('Dockerfile').matchAll(/npm run (\w+)/g)) expect(scripts).toHaveProperty(script);
});

test.skipIf(postgresUrl === undefined)('roles.sql gives the serving role the privileges that it needs', async () => {
  const database = await newDatabase();
  const suffix = `_${Date.now()}`;
  const roles = read('roles.sql')
    .replaceAll('shelf_app', `shelf_app${suffix}`)
    .replaceAll('shelf_owner', 'current_user');
  const owner = new SQL({ url: database, max: 1 });
  await owner.unsafe(roles).simple();
  await owner.close();
  await (await startServer({ database })).stop();

  const plain = new URL(database);
  plain.username = `shelf_app${suffix}`;
  plain.password = 'app-password';
  const server = await startServer({ database: plain.href });
  const created = await fetch(`${server.url}/api/items`, { method: 'POST', body: '{"id":2,"name":"n","price":1}' });
  expect(created.status).toBe(201);
  await server.stop();
});
