/** A copy that is made while others write is one moment of the database, and serves. */
import { expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';
import { runShelf, startShelf } from './process.ts';

const folder = temporaryFolder();
const path = (name: string) => join(folder, name);

test('is made beside a server that is being written to', async () => {
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
  // Those that were stored and not yet answered.
  expect(count).toBeLessThanOrEqual(after + 4);
  expect(statSync(path('copy.db')).mode & 0o077).toBe(0);

  const whole = (await (await fetch(`${shelf.url}/api/items`)).json()) as object[];
  await shelf.stop();
  const restored = await startShelf({ args: ['--database', `sqlite:${path('copy.db')}`, '--log', 'off'] });
  expect((await (await fetch(`${restored.url}/api/items`)).json()) as object[]).toEqual(whole.slice(0, count));
  await restored.stop();
});

test.each([
  ['a copy that is there already', [path('copy.db'), '--database', `sqlite:${path('served.db')}`], 'exists already'],
  ['a database that is not there', [path('x.db'), '--database', `sqlite:${path('none.db')}`], 'There is no database'],
  ['a folder that is not there', [path('no/x.db'), '--database', `sqlite:${path('served.db')}`], 'Cannot back up to'],
  ['another engine', [path('x.db'), '--database', 'memory:'], 'backup is for SQLite'],
  ['nothing to copy to', [], 'Say where to'],
])('%s is one line that says what to do', async (_, args, expected) => {
  const { code, stdout, stderr } = await runShelf({ args: ['backup', ...args] });
  expect({ failed: code > 0, stdout, lines: stderr.split('\n').length }).toEqual({
    failed: true,
    stdout: '',
    lines: 2,
  });
  expect(stderr).toContain(expected);
  expect(existsSync(path('x.db'))).toBe(false);
});
