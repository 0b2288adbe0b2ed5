import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { Authority } from '../../../test/support/servers/network/certificate.ts';
import { startedAs } from './started-as.ts';

const start = {
  args: [],
  environment: {},
  executable: '/usr/bin/bun',
  script: '/srv/shelf/src/cli/main.ts',
  folder: '/srv/shelf',
  container: undefined,
  file: undefined,
};
const nothing = { data: '', others: '', trust: '' };

test('the way of starting', () => {
  const program = (more: Partial<Parameters<typeof startedAs>[0]>) => startedAs({ ...start, ...more }).program;
  expect(program({})).toBe('npm run --silent shelf --');
  const executable = { script: '/$bunfs/root/main.js', executable: '/opt/my tools/shelf' };
  expect(program({ ...executable, folder: '/opt/my tools' })).toBe('./shelf');
  expect(program(executable)).toBe("'/opt/my tools/shelf'");
  expect(program({ ...executable, environment: { PATH: '/bin:/opt/my tools' } })).toBe('shelf');
  const main = 'node_modules/shelf-server/dist/server/cli/main.js';
  expect(program({ script: `/usr/lib/${main}` })).toBe('shelf');
  expect(program({ script: `/usr/lib/${main}`, environment: { npm_command: 'exec' } })).toBe('npx shelf');
  expect(program({ script: `/srv/shelf/${main}`, environment: { npm_command: 'start' } })).toBe('npx shelf');
  const fetched = `/home/ada/.npm/_npx/1a2b/${main}`;
  expect(program({ script: fetched, environment: { npm_command: 'exec' } })).toBe('npx shelf-server');
});

test('in a container, commands run beside the server, and the runtime of containers starts it', () => {
  const inside = { ...start, script: '/$bunfs/root/main.js', container: '1f2e3d4c5b6a' };
  expect(startedAs(inside)).toEqual({ ...nothing, program: 'docker exec 1f2e3d4c5b6a shelf', start: '' });
  const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
  expect(startedAs({ ...inside, environment }).program).toBe('kubectl exec 1f2e3d4c5b6a -- shelf');
});

test('the flags that other commands and another start need', () => {
  expect(
    startedAs({
      ...start,
      args: ['--port', '8000', '--port=8123', '--database', "sqlite:it's here.db", '--watch-config', '--auth', 'off'],
      environment: { HOST: '127.0.0.2', PORT: '9000', SHELF_CACHE: '64MiB', SHELF_MAX_BODY: '' },
      file: 'shelf.json',
    }),
  ).toMatchObject({
    data: "--config shelf.json --database 'sqlite:it'\\''s here.db'",
    others: '--port 8123 --host 127.0.0.2 --watch-config on --cache 64MiB',
  });
  expect(startedAs(start)).toMatchObject(nothing);
});

test('a password is in no answer, and no command takes another database instead', () => {
  const secret = 'postgres://shelf:secret@db/shelf';
  const environment = { DATABASE_URL: secret, SHELF_DATABASE_REPLICAS: secret };
  expect(startedAs({ ...start, environment })).toMatchObject({ ...nothing, data: '--database "$DATABASE_URL"' });
});

test('the certificate that clients must be given', () => {
  const authority = new Authority('Own');
  const [own, issued] = ['own.crt', 'issued.crt'].map((name) => join(temporaryFolder(), name)) as [string, string];
  writeFileSync(own, authority.cert);
  writeFileSync(issued, authority.issue({ name: 'localhost' }).cert);
  const trust = (file: string, environment = {}) =>
    startedAs({ ...start, args: ['--tls-cert', file], environment }).trust;
  expect(trust(own)).toBe(own);
  expect(trust(issued)).toBe('');
  expect(trust(issued, { NODE_EXTRA_CA_CERTS: own })).toBe(own);
  expect(trust('/missing.crt')).toBe('');
  expect(startedAs({ ...start, environment: { NODE_EXTRA_CA_CERTS: own } }).trust).toBe('');
});
