/** The files of a database are private to their owner, and the server warns if other users can reach them. */
import { expect, test } from 'bun:test';
import { chmodSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { connectTo } from '../support/servers/network/socket.ts';
import { runShelf, command as shelfCommand, startShelf } from '../support/servers/process.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
/** With umask 0, a file is private only if the program makes it so. */
const command = ['sh', '-c', 'umask 0; exec "$@"', 'sh', ...shelfCommand];

test('a new database, its folders and its files are private under any umask', async () => {
  const top = join(temporaryFolder(), 'made');
  const path = join(top, 'inner', 'shelf.db');
  const shelf = await startShelf({ command, args: ['--database', `sqlite:${path}`] });
  await fetch(`${shelf.url}/api/items`, { method: 'POST', body: '{"id":2,"name":"x","price":1}' });
  expect([top, join(top, 'inner')].map(modeOf)).toEqual(['700', '700']);
  const files = ['', '-wal', '-shm', '-lock'].map((suffix) => `${path}${suffix}`);
  expect(files.map(modeOf)).toEqual(['600', '600', '600', '600']);
  expect(await shelf.stop()).toBe(0);
  expect(await shelf.errors()).toBe('');

  const copy = join(top, 'copy.db');
  await runShelf({ args: ['backup', copy, '--database', `sqlite:${path}`] });
  expect(modeOf(copy)).toBe('600');
});

test.skipIf(process.platform !== 'linux')('a spool file is private', async () => {
  const path = join(temporaryFolder(), 'shelf.db');
  const shelf = await startShelf({ command, args: ['--database', `sqlite:${path}`] });
  const socket = connectTo(shelf.url);
  const head = 'POST /api/v2/items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n';
  socket.write(`${head}Content-Length: 1000\r\n\r\n{"name":"x","price":1}\n`);
  const folder = `/proc/${shelf.pid}/fd`;
  const spools = () =>
    readdirSync(folder).flatMap((name) => {
      try {
        return readlinkSync(join(folder, name)).includes('/.shelf-') ? [join(folder, name)] : [];
      } catch {
        return [];
      }
    });
  while (spools().length === 0) await Bun.sleep(5);
  expect(spools().map(modeOf)).toEqual(['600']);
  socket.destroy();
  expect(await shelf.stop()).toBe(0);
});

test('a database that other users can reach is served, with a warning that names the open paths', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'shelf.db');
  const args = ['--database', `sqlite:${path}`];
  await runShelf({ args: ['migrate', ...args] });
  const warned = async () => {
    const shelf = await startShelf({ args });
    expect(await shelf.stop()).toBe(0);
    return shelf.errors();
  };
  expect(await warned()).toBe('');
  chmodSync(path, 0o644);
  const file = await warned();
  expect(file).toStartWith('shelf: Warning: other users of this machine may reach the database: ');
  expect(file).toContain(`${path} (mode 644), ${path}-wal (mode 644)`);
  expect(file).not.toContain(`${folder} (`);
  chmodSync(path, 0o600);
  chmodSync(folder, 0o755);
  expect(await warned()).toContain(`${folder} (mode 755). Keep it`);
});
