/** `shelf move` as an operator runs it: what it refuses, and what a kill, a full disk or a difference leaves. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import type { Collection } from '../../src/domain/record/collection.ts';
import type { Stored } from '../../src/domain/record/record.ts';
import { writeLock } from '../../src/storage/postgres/connect/locks.ts';
import type { Batches, OwnTable, TableRow } from '../../src/storage/transfer/contents.ts';
import { openSource, openTarget } from '../../src/storage/transfer/open-databases.ts';
import type { TargetDatabase } from '../../src/storage/transfer/target-database.ts';
import { transfer } from '../../src/storage/transfer/transfer.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { fill, fullCollections, shown } from '../support/data/full-database.ts';
import { runExport, runMove, runVerify } from '../support/servers/data-commands.ts';
import { engineOf } from '../support/servers/engine.ts';
import { command, runShelf, startShelf } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
let made = 0;
/** In a folder of its own, so that the test sees every file that is left. */
function newPath(): string {
  const own = join(folder, String(made++));
  mkdirSync(own);
  return join(own, 'shelf.db');
}
const newFile = () => `sqlite:${newPath()}`;
const pathOf = (url: string) => url.slice('sqlite:'.length);

/** A server on the database, for a moment. */
async function serving<Result>(
  database: string,
  use: (server: Awaited<ReturnType<typeof startServer>>) => Promise<Result>,
) {
  const server = await startServer({ database, collections: fullCollections });
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

const move = (from: string, to: string, ...more: string[]) =>
  runShelf({ args: ['move', '--from', from, '--to', to, ...more] });
/** Does not wait long for a server to end. */
const impatient = ['--database-timeout', '300ms'];

const whole = newFile();
let before: Awaited<ReturnType<typeof shown>>;
beforeAll(async () => {
  before = await serving(whole, async (server) => {
    await fill(server, 1500);
    return shown(server);
  });
});

/** Another copy of the full database: a test that writes to one does not disturb the others. */
function wholeCopy(): string {
  const path = newPath();
  for (const end of ['', '-lock']) cpSync(pathOf(whole) + end, path + end);
  return `sqlite:${path}`;
}

const targets: readonly (readonly [string, () => string | Promise<string>])[] = [
  ['sqlite', newFile],
  ...(postgresUrl === undefined ? [] : [['postgres', newDatabase] as const]),
];

describe.each(targets)('to %s', (engine, newTarget) => {
  test('without a configuration file: the database remembers its collections', async () => {
    const to = await newTarget();
    const { code, stdout, stderr } = await move(whole, to);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Moved 1,5\d\d records of 7 collections, 1,5\d\d changes, 3 API keys and 2 idempotency keys from .+ in .+ s; counts and digests agree\.\n$/,
    );
    expect(await serving(to, shown)).toEqual(before);
    // The source is as it was, and so are its files.
    expect(readdirSync(join(pathOf(whole), '..')).sort()).toEqual(['shelf.db', 'shelf.db-lock']);
  });

  test('a database with first records alone is empty, and one with another record is not', async () => {
    const to = await newTarget();
    await serving(to, async () => {});
    expect((await move(whole, to)).code).toBe(0);
    expect(await serving(to, shown)).toEqual(before);
    const { code, stderr } = await move(whole, to);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^shelf: The database \S+ is not empty \(items has 15\d\d records\): choose a new one\.\n$/);
    expect(await serving(to, shown)).toEqual(before);
  });

  test.each([
    [
      'an API key',
      (server: Awaited<ReturnType<typeof startServer>>) =>
        server.store.admin.apiKeys.add({
          id: 'k',
          name: 'k',
          digest: 'd',
          scope: 'read',
          collections: undefined,
          createdAt: '2026-01-01T00:00:00.000Z',
          expiresAt: undefined,
          revokedAt: undefined,
          lastUsedAt: undefined,
        }),
      'it has API keys',
    ],
    [
      'a history',
      async (server: Awaited<ReturnType<typeof startServer>>) => {
        const added = await fetch(`${server.url}/api/v2/items`, { method: 'POST', body: '{"name":"n","price":1}' });
        const { id } = (await added.json()) as { id: number };
        return fetch(`${server.url}/api/v2/items/${id}`, { method: 'DELETE' });
      },
      'it has a history',
    ],
    [
      'a changed first record',
      (server: Awaited<ReturnType<typeof startServer>>) =>
        fetch(`${server.url}/api/v2/items/1`, {
          method: 'PATCH',
          headers: { 'Content-Type': 'application/json' },
          body: '{"price":7}',
        }),
      'items has 1 record',
    ],
  ])('a database with %s is not empty', async (_, change, reason) => {
    const to = await newTarget();
    await serving(to, async (server) => {
      await change(server);
    });
    const { code, stderr } = await move(whole, to);
    expect(code).toBe(1);
    expect(stderr).toContain(`is not empty (${reason}): choose a new one.`);
  });

  test('a server on the source is refused, and one on the target, too', async () => {
    const to = await newTarget();
    const from = wholeCopy();
    const shelf = await startShelf({ args: ['--database', from, '--log', 'off'] });
    const refused = await move(from, to);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('is in use by a Shelf server: stop it first, and retry.');
    await shelf.stop();
    const other = await startShelf({ args: ['--database', to, '--log', 'off'] });
    const blocked = await move(whole, to, ...impatient);
    expect(blocked.code).toBe(1);
    expect(blocked.stderr).toMatch(
      / in use by another Shelf server: stop that one first|A Shelf server uses \S+ \(\d+ connections?\): stop it first/,
    );
    await other.stop();
  });

  /** One price is rounded. */
  const withoutPrice = ({ row, ...rest }: Stored) => ({
    ...rest,
    row: row.price === 5e-324 ? { ...row, price: 0 } : row,
  });
  /** A text column of each other table is altered. */
  const altered = { changes: 'made_by', api_keys: 'collections', idempotency_keys: 'digest' };

  test('rows that arrive altered are found, of every kind, and the target stays as it was', async () => {
    const to = await newTarget();
    const options = { declared: fullCollections, label: 'here', timeoutMs: 5000, prepare: true };
    const quietly = { onRows: () => {}, onVerify: () => {}, signal: new AbortController().signal };
    const source = await openSource(engineOf(whole), options, true);
    const target = await openTarget(engineOf(to), { ...options, keepsApiKeys: false, advice: '' });
    async function* each<Row>(batches: Batches<Row>, alter: (row: Row) => Row) {
      for await (const rows of batches) yield rows.map(alter);
    }
    const altering = new Proxy(target, {
      get(given, name: keyof TargetDatabase) {
        if (name === 'addRecords')
          return (to: Collection, batches: Batches<Stored>) => given.addRecords(to, each(batches, withoutPrice));
        if (name === 'addRows')
          return (to: OwnTable, batches: Batches<TableRow>) =>
            given.addRows(
              to,
              each(batches, (row) => row.with(to.columns.indexOf(altered[to.name]), 'another')),
            );
        const own: unknown = given[name];
        return typeof own === 'function' ? own.bind(given) : own;
      },
    });
    const failure = await transfer(source, altering, quietly).catch((error: Error) => error.message);
    await target.close();
    await source.close();
    const found = ['items', 'changes', 'api keys', 'idempotency keys'].map((name) => `${name}: the digests differ`);
    expect(failure).toContain(`not the same as the source, and was not put in place (${found.join('; ')})`);
    if (engine === 'sqlite') expect(readdirSync(join(pathOf(to), '..'))).toEqual(['shelf.db-lock']);
    expect((await move(whole, to)).code).toBe(0);
  });

  test('killed at any moment, it leaves the target unused or complete, and can be run again', async () => {
    const to = await newTarget();
    const once = performance.now();
    expect((await move(whole, await newTarget())).code).toBe(0);
    const wholeMs = performance.now() - once;
    for (let round = 1; round <= 3; round++) {
      const child = Bun.spawn([...command, 'move', '--from', whole, '--to', to], {
        stdout: 'ignore',
        stderr: 'ignore',
      });
      await Bun.sleep((wholeMs * round) / 4);
      child.kill('SIGKILL');
      await child.exited;
      if (engine === 'sqlite' && existsSync(pathOf(to))) break;
    }
    let last = await move(whole, to);
    // The killed process may have been done already; its connection may be open for a moment.
    while (last.stderr.includes('is in use')) last = await move(whole, to);
    if (last.code !== 0) expect(last.stderr).toContain('is not empty (items has');
    expect(await serving(to, shown)).toEqual(before);
    if (engine === 'sqlite')
      expect(readdirSync(join(pathOf(to), '..')).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('Ctrl-C stops it, leaves the target as it was, and says how to continue', async () => {
    for (;;) {
      const to = await newTarget();
      const child = Bun.spawn([...command, 'move', '--from', whole, '--to', to], { stdout: 'pipe', stderr: 'pipe' });
      // It has begun as soon as it holds the lock of the source.
      while (!isLocked(pathOf(whole)) && child.exitCode === null) await Bun.sleep(1);
      child.kill('SIGINT');
      const stderr = await new Response(child.stderr).text();
      // It may have been done before the signal arrived.
      if ((await child.exited) === 0) continue;
      expect(child.exitCode).toBe(1);
      expect(stderr).toBe('shelf: Stopped. The target is as it was: run the same command again.\n');
      expect((await move(whole, to)).code).toBe(0);
      return;
    }
  });
});

/** As the kernel lists it: to try the lock would hold it for a moment, and the command would find it taken. */
function isLocked(path: string): boolean {
  const { ino } = statSync(`${path}-lock`);
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .some((line) => line.includes(' WRITE ') && line.includes(`:${ino} `));
}

test.each([
  [[], 2, 'Usage: shelf move --from URL --to URL'],
  [['--from', 'x:y'], 2, '--from must be sqlite:PATH'],
  [['--from', 'memory:', '--to', 'sqlite:x'], 1, 'memory: stores nothing: choose another database.'],
  [['--from', 'sqlite:none.db', '--to', 'sqlite:x'], 1, 'does not exist, or is empty: correct the path.'],
  [['--from', 'sqlite:x', '--to', 'sqlite:./x'], 2, 'choose another target.'],
])('move %p is answered with one line', async (args, code, line) => {
  const answer = await runShelf({ args: ['move', ...args] });
  expect({ code: answer.code, stdout: answer.stdout }).toEqual({ code, stdout: '' });
  expect(answer.stderr).toContain(line);
  expect(answer.stderr.split('\n')).toHaveLength(2);
});

test.skipIf(postgresUrl === undefined)(
  'a database that is missing on PostgreSQL is created with createdb',
  async () => {
    const missing = new URL(postgresUrl ?? '');
    missing.pathname = '/no_such_database';
    const reason = '(database "no_such_database" does not exist): create it with createdb no_such_database';
    for (const [from, to] of [
      [whole, missing.href],
      [missing.href, newFile()],
    ] as const)
      expect(await runMove(from, to)).toMatch(new RegExp(`^failed: Cannot use postgres\\S+ ${RegExp.escape(reason)}`));
    await expect(startServer({ database: missing.href })).rejects.toThrow(`Cannot use the database ${reason}`);
  },
);

test('a backup is not moved: its numbers may belong to another database', async () => {
  const copy = newPath();
  expect((await runShelf({ args: ['backup', copy, '--database', whole] })).code).toBe(0);
  const { code, stderr } = await move(`sqlite:${copy}`, newFile());
  expect(code).toBe(1);
  expect(stderr).toContain('is a copy that was never started: run shelf migrate on it first');
  expect((await runShelf({ args: ['migrate', '--database', `sqlite:${copy}`] })).code).toBe(0);
  const to = newFile();
  expect((await move(`sqlite:${copy}`, to)).code).toBe(0);
  // Its numbers go on from the new epoch.
  await serving(to, async ({ store }) => expect((await store.feed.history()).gaps).toHaveLength(1));
});

describe.skipIf(postgresUrl === undefined)('from PostgreSQL', () => {
  let from = '';
  beforeAll(async () => {
    from = await newDatabase();
    expect((await move(whole, from)).code).toBe(0);
    await serving(from, async () => {});
  });

  test('it cannot be written meanwhile, and is not changed', async () => {
    const sql = new SQL({ url: from, max: 1 });
    const source = await openSource(
      engineOf(from),
      { declared: fullCollections, label: 'here', timeoutMs: 5000, prepare: true },
      true,
    );
    for (const statement of [
      "update items set name = 'x' where seq = 1",
      'delete from changes',
      "insert into api_keys (id, name, digest, scope, created_at) values ('a', 'a', 'a', 'read', 'a')",
    ]) {
      // The garbage collector closes connections that nothing refers to.
      Bun.gc(true);
      const written = sql.unsafe(`set lock_timeout = 50; ${statement}`).simple();
      expect(
        await written.then(
          () => 'written',
          (error) => error.errno,
        ),
      ).toBe('55P03');
    }
    const [free] = await sql`select pg_try_advisory_xact_lock(${writeLock}::bigint)`.values();
    expect(free?.[0]).toBe(false);
    await source.close();
    await sql.unsafe('update items set name = name where seq = 1');
    await sql.close();
  });

  test('a server on it is refused', async () => {
    const shelf = await startShelf({ args: ['--database', from, '--log', 'off'] });
    await fetch(`${shelf.url}/api/items`);
    const { code, stderr } = await move(from, newFile(), ...impatient);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^shelf: A Shelf server uses postgres:\S+ \(\d+ connections?\): stop it first, and retry\.\n$/,
    );
    await shelf.stop();
  });

  test('a role that only reads and writes rows can export and verify, but not move', async () => {
    const role = `shelf_plain_${Date.now()}`;
    const sql = new SQL({ url: from, max: 1 });
    await sql.unsafe(`create role ${role} login`);
    await sql.unsafe(`grant select, insert, update, delete on all tables in schema public to ${role}`);
    const plain = new URL(from);
    plain.username = role;
    expect(await runExport(plain.href, join(folder, 'by-plain-role'))).toStartWith('Exported');
    expect((await runVerify(plain.href)).isRight).toBe(true);
    expect(await runMove(plain.href, newFile())).toMatch(
      /^failed: The database role cannot read the sequence \S+: use the role that owns the tables\.$/,
    );
    await sql.unsafe(`drop owned by ${role}`);
    await sql.unsafe(`drop role ${role}`);
    await sql.close();
  });

  test('a trigger in the target that alters a row is found', async () => {
    const to = await newDatabase();
    const sql = new SQL({ url: to, max: 1 });
    await sql
      .unsafe(`
      create function alter_one() returns trigger language plpgsql as $$ begin
        if new.seq = 700 then new.name := new.name || ' '; end if; return new; end $$;
      create function plant() returns event_trigger language plpgsql as $$ declare one record; begin
        for one in select * from pg_event_trigger_ddl_commands() where object_identity = 'public.items' loop
          create trigger planted before insert on items for each row execute function alter_one();
        end loop; end $$;
      create event trigger planting on ddl_command_end when tag in ('CREATE TABLE') execute function plant();`)
      .simple();
    const { code, stderr } = await move(whole, to);
    expect(code).toBe(1);
    expect(stderr).toContain('(items: the digests differ): check its disk and triggers, and retry.');
    expect((await sql`select to_regclass('items')`.values())[0]?.[0]).toBeNull();
    await sql.close();
  });
});

test('an error names the database that it comes from', async () => {
  const from = wholeCopy();
  expect((await runShelf({ args: ['migrate', '--database', from] })).code).toBe(0);
  const bytes = readFileSync(pathOf(from));
  writeFileSync(pathOf(from), bytes.fill(0x55, bytes.length / 2, bytes.length / 2 + 16384));
  const to = newFile();
  const { code, stderr } = await move(from, to);
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`^shelf: Cannot use ${pathOf(from)} \\(.+malformed\\): `));
  expect(existsSync(pathOf(to))).toBe(false);
});

test('the note beside the lock belongs to the new file: a restart begins no epoch', async () => {
  const to = newFile();
  expect((await move(whole, to)).code).toBe(0);
  await serving(to, async ({ store }) => expect((await store.feed.history()).gaps).toEqual([]));
  await serving(to, async ({ store }) => expect((await store.feed.history()).gaps).toEqual([]));
  expect(readFileSync(pathOf(to)).length).toBeGreaterThan(0);
});
