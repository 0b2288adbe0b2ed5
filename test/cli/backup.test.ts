/** A backup that is made during writes is one snapshot of the database, and can be served. */

import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { command, runShelf, startShelf } from '../support/servers/process.ts';

const folder = temporaryFolder();
const path = (name: string) => join(folder, name);

test('a backup during writes is a consistent snapshot', async () => {
  const database = `sqlite:${path('served.db')}`;
  const shelf = await startShelf({ args: ['--database', database, '--log', 'off'] });
  let writing = true;
  let written = 1;
  const writers = Array.from({ length: 4 }, async () => {
    while (writing) {
      const body = '{"name":"written","price":1}';
      if ((await fetch(`${shelf.url}/api/v2/items`, { method: 'POST', body })).status === 201) written++;
    }
  });
  while (written < 200) await Bun.sleep(5);
  const before = written;
  const { code, stdout, stderr } = await runShelf({ args: ['backup', path('copy.db'), '--database', database] });
  const after = written;
  writing = false;
  await Promise.all(writers);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const count = Number(/is sound, and has (\d+) items and 1 users\.$/m.exec(stdout)?.[1]);
  expect(count).toBeGreaterThanOrEqual(before);
  // Each writer may have one write that is stored and not yet answered.
  expect(count).toBeLessThanOrEqual(after + 4);
  expect(statSync(path('copy.db')).mode & 0o077).toBe(0);

  const whole = (await (await fetch(`${shelf.url}/api/items`)).json()) as object[];
  await shelf.stop();
  const restored = await startShelf({ args: ['--database', `sqlite:${path('copy.db')}`, '--log', 'off'] });
  expect((await (await fetch(`${restored.url}/api/items`)).json()) as object[]).toEqual(whole.slice(0, count));
  await restored.stop();
});

test.each([
  ['a copy that exists already', [path('copy.db'), '--database', `sqlite:${path('served.db')}`], 'exists already'],
  [
    'a missing database',
    [path('x.db'), '--database', `sqlite:${path('none.db')}`],
    'does not exist: correct --database',
  ],
  ['a missing folder', [path('no/x.db'), '--database', `sqlite:${path('served.db')}`], 'Cannot back up to'],
  ['another engine', [path('x.db'), '--database', 'memory:'], 'backup supports only SQLite'],
  ['a missing FILE', [], 'Usage: shelf backup FILE'],
])('%s is answered with one line that says what to do', async (_, args, expected) => {
  const { code, stdout, stderr } = await runShelf({ args: ['backup', ...args] });
  expect({ failed: code > 0, stdout, lines: stderr.split('\n').length }).toEqual({
    failed: true,
    stdout: '',
    lines: 2,
  });
  expect(stderr).toContain(expected);
  expect(existsSync(path('x.db'))).toBe(false);
});

/** A backup that waits while it copies, because another program locks the database until `release`. */
async function heldBackup(name: string) {
  const source = path(`${name}.db`);
  await (await startShelf({ args: ['--database', `sqlite:${source}`] })).stop();
  const holder = new Database(source);
  holder.run('pragma locking_mode = exclusive');
  holder.run('begin immediate');
  const copies = path(name);
  mkdirSync(copies);
  const target = join(copies, 'copy.db');
  const args = ['backup', target, '--database', `sqlite:${source}`];
  const child = Bun.spawn([...command, ...args], { stderr: 'pipe' });
  while (readdirSync(copies).length === 0) await Bun.sleep(5);
  const [partial = ''] = readdirSync(copies);
  const release = () => {
    holder.run('rollback');
    holder.close();
  };
  return { child, copies, target, partial, release, args };
}

test('a killed backup leaves no file under the final name', async () => {
  const { child, copies, target, partial, release, args } = await heldBackup('killed');
  expect(partial).toMatch(/^\.copy\.db\.[0-9a-f]{8}\.partial$/);
  expect(statSync(join(copies, partial)).mode & 0o077).toBe(0);
  child.kill('SIGKILL');
  await child.exited;
  expect(existsSync(target)).toBe(false);

  release();
  expect((await runShelf({ args })).stdout).toContain('is sound');
  expect(readdirSync(copies).sort()).toEqual([partial, 'copy.db']);
});

test('a backup does not overwrite a file that appears while it runs', async () => {
  const { child, copies, target, release } = await heldBackup('overtaken');
  writeFileSync(target, 'precious');
  release();
  expect(await child.exited).toBe(1);
  expect(await new Response(child.stderr).text()).toContain('exists already');
  expect(readFileSync(target, 'utf8')).toBe('precious');
  expect(readdirSync(copies)).toEqual(['copy.db']);
});

test('a backup of a damaged database leaves no file', async () => {
  const source = path('damaged.db');
  const shelf = await startShelf({ args: ['--database', `sqlite:${source}`] });
  const lines = Array.from({ length: 5000 }, (_, n) => `{"name":"record ${n}","price":1}`).join('\n');
  const headers = { 'Content-Type': 'application/x-ndjson' };
  expect((await fetch(`${shelf.url}/api/v2/items`, { method: 'POST', headers, body: lines })).status).toBe(201);
  await shelf.stop();
  const bytes = readFileSync(source);
  writeFileSync(source, bytes.fill(0x55, bytes.length / 2, bytes.length / 2 + 65536));
  const copies = path('sound');
  mkdirSync(copies);
  const { code, stderr } = await runShelf({ args: ['backup', join(copies, 'x.db'), '--database', `sqlite:${source}`] });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^shelf: (Cannot back up|The copy is not sound)[^\n]*\n$/);
  expect(readdirSync(copies)).toEqual([]);
});
