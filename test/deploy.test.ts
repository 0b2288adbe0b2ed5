/** The deployment example for several instances uses only settings, files and services that exist. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { SQL } from 'bun';
import { readCommand } from '../src/cli/config.ts';
import { allSettings } from '../src/cli/settings/settings.ts';
import { parseRanges } from '../src/http/access/client-address.ts';
import { newDatabase, postgresUrl } from './postgres/database.ts';
import { root } from './process.ts';
import { startServer } from './server.ts';

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
const { services, networks } = Bun.YAML.parse(read('compose.yaml')) as {
  services: Record<string, Service>;
  networks: Record<string, Network>;
};

test('every instance has known settings with valid values', () => {
  const known = allSettings.map(({ env }) => env);
  const ours = Object.values(services).filter(({ build }) => build !== undefined);
  expect(ours.length).toBe(2);
  for (const { command = [], environment = {} } of ours) {
    for (const name of Object.keys(environment)) expect(known).toContain(name);
    const parsed = readCommand(command, environment);
    expect('config' in parsed && parsed.config.database.url.kind).toBe('postgres');
  }
});

test('every named file and service exists', () => {
  for (const { build, volumes = [], depends_on = [] } of Object.values(services)) {
    if (build !== undefined) expect(existsSync(join(folder, build.context, build.dockerfile))).toBe(true);
    for (const volume of volumes.filter((mount) => mount.startsWith('./')))
      expect(existsSync(join(folder, volume.split(':')[0] ?? ''))).toBe(true);
    for (const name of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
      expect(Object.keys(services)).toContain(name);
  }
  expect(read('nginx.conf')).toContain('server shelf:8000');
});

test('only the balancer is a trusted proxy', () => {
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
