/** Searches on their thread: errors are returned, and close() releases the file. */
import { afterEach, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { items } from '../../../collections/items.ts';
import { identify } from '../file/watch.ts';
import { migrate } from '../schema/schema.ts';
import { connect } from '../statements/connection.ts';
import { SearchClient } from './client.ts';
import { lastChangeSearch } from './plan.ts';
import type { Search } from './search.ts';

const folder = temporaryFolder();
let made = 0;
const opened: { close(): Promise<void> }[] = [];

async function open() {
  const filename = join(folder, `${made++}.db`);
  writeFileSync(filename, '');
  const db = connect(filename);
  db.transaction(() => migrate(db, [items], filename)).immediate();
  const queries = new SearchClient({
    filename,
    opened: identify(filename),
    walBytes: 2 ** 26,
    searchMs: 60_000,
    onReturn() {},
  });
  opened.push(queries);
  await queries.ready;
  return { filename, db, queries };
}

afterEach(async () => {
  for (const queries of opened.splice(0)) await queries.close();
});

test('a search that SQLite refuses is answered with its error and its code', async () => {
  const { db, queries } = await open();
  const broken: Search = { ...lastChangeSearch, select: 'select * from missing' };
  const failed = queries.ask(broken).catch((error: unknown) => error);
  // Searches of one client are answered in order, so the failed one has its answer after this.
  await queries.ask(lastChangeSearch);
  const error = await Promise.race([failed, 'no answer']);
  expect(error).toMatchObject({ code: 'SQLITE_ERROR', message: expect.stringContaining('no such table: missing') });
  expect(queries.waiting).toBe(0);
  db.close(true);
});

test('after close() the thread has released the file, and searches are refused', async () => {
  const { filename, db, queries } = await open();
  await queries.ask(lastChangeSearch);
  db.close(true);
  expect(existsSync(`${filename}-wal`)).toBe(true);
  await queries.close();
  // SQLite removes the WAL when the last connection closes.
  expect(existsSync(`${filename}-wal`)).toBe(false);
  expect(() => queries.check()).toThrow('the searching thread is closed');
  await expect(queries.ask(lastChangeSearch)).rejects.toMatchObject({ code: 'not_ready' });
});
