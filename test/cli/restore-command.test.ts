/** `shelf restore`: a backup is checked first, the old database is kept, and a kill leaves one of the two. */
import { beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { settle } from '../../src/storage/transfer/sqlite/swap-file.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { fill, fullCollections, lists } from '../support/data/full-database.ts';
import { markTransaction } from '../support/data/mark-transaction.ts';
import { runRestore } from '../support/servers/data-commands.ts';
import { command, runShelf, startShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
let made = 0;
/** In a folder of its own, so that the test sees every file that is left. */
function newPath(): string {
  const own = join(folder, String(made++));
  mkdirSync(own);
  return join(own, 'shelf.db');
}
const filesBeside = (path: string) => readdirSync(dirname(path)).sort();

async function serving<Result>(path: string, use: (server: TestServer) => Promise<Result>): Promise<Result> {
  const server = await startServer({ database: `sqlite:${path}`, collections: fullCollections });
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}
const listsOf = (path: string) => serving(path, lists);

const source = newPath();
const backup = join(folder, 'backup.db');
let records: Awaited<ReturnType<typeof lists>>;
let later: Awaited<ReturnType<typeof lists>>;
beforeAll(async () => {
  records = await serving(source, async (server) => {
    await fill(server, 600);
    await markTransaction(`sqlite:${source}`, 5, 4);
    return lists(server);
  });
  expect((await runShelf({ args: ['backup', backup, '--database', `sqlite:${source}`] })).code).toBe(0);
  later = await serving(source, async (server) => {
    await fetch(`${server.url}/api/v2/items`, { method: 'POST', body: '{"name":"after the backup","price":1}' });
    return lists(server);
  });
});

/** The database as it was after the backup. */
function newDatabase(): string {
  const path = newPath();
  for (const end of ['', '-lock']) cpSync(source + end, path + end);
  return path;
}

describe('a restore', () => {
  test('brings the transactions of the changes back', async () => {
    const path = newDatabase();
    await runRestore(path, backup);
    const changes = await serving(path, async ({ url }) => (await fetch(`${url}/api/v2/changes`)).text());
    expect(changes.split('"transaction":{"first":5,"size":4}')).toHaveLength(5);
  });

  test('brings the records back, and keeps the database from before beside it', async () => {
    const path = newDatabase();
    chmodSync(path, 0o640);
    const line = await runRestore(path, backup);
    expect(line).toMatch(
      /^Restored 6\d\d records of 7 collections from \S+ to \S+ in .+ s; the database from before is \S+\.\n$/,
    );
    const kept = /before is (\S+)\.\n$/.exec(line)?.[1] ?? '';
    expect(filesBeside(path)).toEqual(['shelf.db', kept.slice(dirname(path).length + 1), 'shelf.db-lock'].sort());
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(await listsOf(path)).toEqual(records);
    expect(await listsOf(kept)).toEqual(later);
    // A new epoch: no number of the lost history is given again.
    await serving(path, async ({ store }) => expect((await store.feed.history()).gaps).toHaveLength(1));
  });

  test('makes a database where there was none', async () => {
    const path = join(dirname(newPath()), 'deep', 'shelf.db');
    expect(await runRestore(path, backup)).toEndWith('; there was none before.\n');
    expect(await listsOf(path)).toEqual(records);
  });

  test('keeps what only the log of a killed server has', async () => {
    const path = newDatabase();
    const shelf = await startShelf({ args: ['--database', `sqlite:${path}`, '--log', 'off'] });
    await fetch(`${shelf.url}/api/v2/items`, { method: 'POST', body: '{"name":"only in the log","price":1}' });
    await shelf.stop('SIGKILL');
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    const kept = /before is (\S+)\.\n$/.exec(await runRestore(path, backup))?.[1] ?? '';
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(await listsOf(path)).toEqual(records);
    expect((await listsOf(kept)).items).toContain('"name":"only in the log"');
  });

  test('replaces a database that is damaged', async () => {
    const path = newDatabase();
    writeFileSync(path, readFileSync(path).fill(0x55, 4096, 65536));
    expect(await runRestore(path, backup)).toStartWith('Restored');
    expect(await listsOf(path)).toEqual(records);
  });

  test('takes a backup of an earlier release', async () => {
    const path = newPath();
    const old = join(import.meta.dir, '../releases/0.4.0.db');
    expect(existsSync(old)).toBe(true);
    expect(await runRestore(path, old)).toStartWith('Restored');
    await serving(path, async ({ store }) => expect(store.admin.isNew).toBe(false));
  });
});

describe('nothing is changed', () => {
  const wrong: readonly [string, (path: string) => string | Promise<string>, RegExp][] = [
    [
      'if the backup is missing',
      () => join(folder, 'none.db'),
      /does not exist, or is empty: name a file of shelf backup\.$/,
    ],
    [
      'if the backup is damaged',
      () => {
        const bad = join(folder, 'bad.db');
        const bytes = readFileSync(backup);
        writeFileSync(bad, bytes.fill(0x55, bytes.length / 2, bytes.length / 2 + 16384));
        return bad;
      },
      /is not sound \(.+\): nothing was changed\. Restore another backup\.$/,
    ],
    [
      'if the backup is cut off',
      () => {
        const cut = join(folder, 'cut.db');
        writeFileSync(cut, readFileSync(backup).subarray(0, 40_960));
        return cut;
      },
      /is not sound \(.+\): nothing was changed/,
    ],
    [
      'if the file is no database',
      () => {
        const text = join(folder, 'text.db');
        writeFileSync(text, 'text '.repeat(1000));
        return text;
      },
      /is not sound \(.+\)|is not a SQLite database/,
    ],
    [
      'if a log beside the file has a part of it',
      () => {
        const crashed = join(folder, 'crashed.db');
        cpSync(backup, crashed);
        writeFileSync(`${crashed}-wal`, 'log');
        return crashed;
      },
      /is a database in use, not a backup: copy it with shelf backup, and restore the copy\.$/,
    ],
    [
      'if a change is of a transaction that is not possible',
      async () => {
        const impossible = join(folder, 'impossible.db');
        cpSync(backup, impossible);
        await markTransaction(`sqlite:${impossible}`, 5, 1);
        return impossible;
      },
      /Change 5 in \S+ is of a transaction that is not possible: restore another backup\.$/,
    ],
    ['if the file is the database itself', (path) => path, /is the database itself: name a file of shelf backup\.$/],
  ];
  test.each(wrong)('%s', async (_, make, expected) => {
    const path = newDatabase();
    const failed = await runRestore(path, await make(path));
    expect(failed).toStartWith('failed: ');
    expect(failed).toMatch(expected);
    expect(filesBeside(path)).toEqual(['shelf.db', 'shelf.db-lock']);
    expect(await listsOf(path)).toEqual(later);
  });

  test('while a server runs, or if the backup is served', async () => {
    const path = newDatabase();
    const shelf = await startShelf({ args: ['--database', `sqlite:${path}`, '--log', 'off'] });
    expect(await runRestore(path, backup)).toContain('is in use by a Shelf server: stop it first, and retry.');
    expect(await runRestore(newPath(), path)).toContain(
      'is a database in use, not a backup: copy it with shelf backup',
    );
    await shelf.stop();
    expect(await listsOf(path)).toEqual(later);
  });

  test('on PostgreSQL and in memory', async () => {
    for (const database of ['memory:', 'postgres://u@127.0.0.1:1/x']) {
      const { code, stderr } = await runShelf({ args: ['restore', backup, '--database', database] });
      expect(code).toBe(1);
      expect(stderr).toContain('restore supports only SQLite: use pg_restore or psql for PostgreSQL');
    }
    expect((await runShelf({ args: ['restore'] })).stderr).toBe('shelf: Usage: shelf restore FILE\n');
  });
});

describe('killed', () => {
  test('at any moment, there is the old database or the new one, and it can be run again', async () => {
    const path = newDatabase();
    const args = ['restore', backup, '--database', `sqlite:${path}`];
    const began = performance.now();
    expect((await runShelf({ args: ['restore', backup, '--database', `sqlite:${newDatabase()}`] })).code).toBe(0);
    const wholeMs = performance.now() - began;
    for (const part of [0.5, 0.65, 0.8, 0.95]) {
      const child = Bun.spawn([...command, ...args], { stdout: 'ignore', stderr: 'ignore' });
      await Bun.sleep(wholeMs * part);
      child.kill('SIGKILL');
      await child.exited;
      const found = await listsOf(path);
      expect([JSON.stringify(records), JSON.stringify(later)]).toContain(JSON.stringify(found));
    }
    expect(await runRestore(path, backup)).toStartWith('Restored');
    expect(await listsOf(path)).toEqual(records);
    expect(filesBeside(path).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('before the new file is in place, the next one starts anew', () => {
    const path = newPath();
    writeFileSync(path, 'old');
    writeFileSync(`${path}-wal`, 'old log');
    for (const end of ['', '-wal']) linkSync(path + end, join(dirname(path), `.shelf.db.old${end}`));
    settle(path, `${path}.before`);
    expect(filesBeside(path)).toEqual(['shelf.db', 'shelf.db-wal']);
  });

  test('after the new file is in place, the old database gets its name, and its log', () => {
    const path = newPath();
    const aside = join(dirname(path), '.shelf.db.old');
    writeFileSync(path, 'new');
    writeFileSync(aside, 'old');
    writeFileSync(`${aside}-wal`, 'old log');
    linkSync(`${aside}-wal`, `${path}-wal`);
    settle(path, `${path}.before`);
    expect(filesBeside(path)).toEqual(['shelf.db', 'shelf.db.before-killed', 'shelf.db.before-killed-wal']);
    expect(readFileSync(`${path}.before-killed`, 'utf8')).toBe('old');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });
});
