/** The command on PostgreSQL: with one process, with several, and while the database is unavailable. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { SQL } from 'bun';
import { Cluster } from '../postgres/cluster.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { command, type Line, runShelf, startShelf } from '../support/servers/process.ts';

const add = (url: string, id: number) =>
  fetch(`${url}/api/items`, { method: 'POST', body: `{"id":${id},"name":"n","price":1}` });
const event = (name: string) => (line: Line) => line.event === name;

describe.skipIf(postgresUrl === undefined || process.platform !== 'linux')('workers', () => {
  test('share the port, are replaced when they die, and stop together', async () => {
    const database = await newDatabase();
    const shelf = await startShelf({ args: ['--database', database, '--workers', '3', '--port', String(freePort())] });
    const pids: number[] = [];
    while (pids.length < 3) pids.push(Number((await shelf.line(event('worker started'))).pid));
    expect(new Set(pids).size).toBe(3);
    for (let id = 2; id < 40; id++) expect((await add(shelf.url, id)).status).toBe(201);

    process.kill(pids[1] ?? 0, 'SIGKILL');
    expect(await shelf.line(event('worker died'))).toMatchObject({ pid: pids[1], reason: 'SIGKILL' });
    const replaced = await shelf.line(event('worker started'));
    expect(pids).not.toContain(replaced.pid);
    expect((await add(shelf.url, 41)).status).toBe(201);

    expect(await shelf.stop()).toBe(0);
    for (const pid of [...pids, Number(replaced.pid)]) expect(() => process.kill(pid, 0)).toThrow();
  });

  test('end with their parent, also if it is killed before they serve', async () => {
    // No database answers on this port, so the worker waits.
    const database = `postgres://postgres@127.0.0.1:${freePort()}/none`;
    const parent = Bun.spawn(
      [...command, '--database', database, '--workers', '2', '--port', String(freePort()), '--database-wait', '600s'],
      { stdout: 'ignore', stderr: 'pipe', env: { ...process.env, SHELF_THREADS: '1' } },
    );
    const reader = parent.stderr.getReader();
    // The worker prints this, so it has started.
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('waiting for it');
    const children = readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').trim().split(' ');
    expect(children.length).toBe(1);
    parent.kill('SIGKILL');
    await parent.exited;
    while (existsSync(`/proc/${children[0]}`)) await Bun.sleep(10);
  });

  test('are replaced when they hang, and a hung worker does not prevent a stop', async () => {
    const database = await newDatabase();
    const start = async () => {
      const shelf = await startShelf({
        args: ['--database', database, '--workers', '2', '--port', String(freePort())],
      });
      await shelf.line(event('worker started'));
      return { shelf, pid: Number((await shelf.line(event('worker started'))).pid) };
    };
    const [replaced, stopped] = await Promise.all([start(), start()]);
    // Concurrently, because each takes ten seconds.
    for (const { pid } of [replaced, stopped]) process.kill(pid, 'SIGSTOP');
    const stopping = stopped.shelf.stop();

    const { shelf, pid } = replaced;
    const reason = 'hung: killed after 10 seconds without a heartbeat';
    expect(await shelf.line(event('worker died'))).toMatchObject({ level: 'error', pid, reason });
    expect((await shelf.line(event('worker started'))).pid).not.toBe(pid);
    for (let id = 2; id < 20; id++) expect((await add(shelf.url, id)).status).toBe(201);
    expect(await shelf.stop()).toBe(0);

    expect(await stopping).toBe(0);
    expect(await stopped.shelf.line(event('worker died'))).toMatchObject({ pid: stopped.pid, reason });
    for (const gone of [pid, stopped.pid]) expect(() => process.kill(gone, 0)).toThrow();
  });

  test('finish requests in flight when they are stopped', async () => {
    const database = await newDatabase();
    const shelf = await startShelf({ args: ['--database', database, '--workers', '2', '--port', String(freePort())] });
    const other = new SQL({ url: database, max: 1 });
    const watcher = new SQL({ url: database, max: 1 });
    const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = other.begin(async (tx) => {
      await tx`lock table items`;
      locked.resolve();
      await done.promise;
    });
    await locked.promise;
    const answer = add(shelf.url, 2);
    const waits = () =>
      watcher`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.values();
    while ((await waits()).length === 0) await Bun.sleep(5);
    const stopped = shelf.stop();
    done.resolve();
    await holding;
    expect((await answer).status).toBe(201);
    expect(await stopped).toBe(0);
    // One for all of them.
    expect(shelf.output().split('"event":"stopped"')).toHaveLength(2);
    await Promise.all([other.close(), watcher.close()]);
  });

  test('end with the process that started them', async () => {
    const database = await newDatabase();
    const shelf = await startShelf({ args: ['--database', database, '--workers', '2', '--port', String(freePort())] });
    const pids = [
      Number((await shelf.line(event('worker started'))).pid),
      Number((await shelf.line(event('worker started'))).pid),
    ];
    await shelf.stop('SIGKILL');
    const alive = () =>
      pids.some((pid) => {
        try {
          return process.kill(pid, 0);
        } catch {
          return false;
        }
      });
    while (alive()) await Bun.sleep(20);
  });

  test('a signal during their start stops all of them, and one that dies during its start is replaced', async () => {
    const database = await newDatabase();
    const args = ['--database', database, '--workers', '6', '--port', String(freePort())];
    const hurried = await startShelf({ args });
    expect(await hurried.stop()).toBe(0);

    const shelf = await startShelf({ args });
    const born = new Set<number>();
    const children = () =>
      readFileSync(`/proc/${shelf.pid}/task/${shelf.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    while (children().length < 2) await Bun.sleep(5);
    const youngest = Math.max(...children());
    process.kill(youngest, 'SIGKILL');
    expect(await shelf.line((line) => line.event === 'worker died' && line.pid === youngest)).toBeDefined();
    // The first worker started earlier; these are the other five.
    while (born.size < 5) born.add(Number((await shelf.line((line) => line.event === 'worker started')).pid));
    expect(await shelf.stop()).toBe(0);
  });

  test.each([
    [['--workers', '2'], '--workers 2 needs PostgreSQL: a SQLite file has one server at a time'],
    [['--workers', '2', '--database', 'memory:'], '--workers 2 needs PostgreSQL: memory is not shared'],
    [['--workers', '2', '--database', 'postgres://x@127.0.0.1:1/y', '--port', '0'], '--workers needs a --port'],
    [['--workers', '0'], '--workers must be a number from 1 to 256, or auto'],
  ])('%p is refused', async (args, message) => {
    const { stderr, code } = await runShelf({ args });
    expect(stderr).toStartWith(`shelf: ${message}`);
    expect(stderr.trim().split('\n').length).toBe(1);
    expect(code).toBeGreaterThan(0);
  });

  test('a port that is in use is reported once', async () => {
    const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const database = await newDatabase();
    const { stderr, code } = await runShelf({
      args: ['--database', database, '--workers', '2', '--port', String(taken.port)],
    });
    expect(stderr).toMatch(/^shelf: Cannot listen on port \d+ on 127\.0\.0\.1: the port is in use\.[^\n]*\n$/);
    expect(code).toBe(1);
    taken.stop(true);
  });
});

describe.skipIf(postgresUrl === undefined)('an unavailable database', () => {
  test('at the start makes the server wait, alive and not ready', async () => {
    const cluster = new Cluster({ fsync: 'off' });
    const port = String(freePort());
    const starting = startShelf({ args: ['--database', cluster.url(), '--port', port] });
    const url = `http://127.0.0.1:${port}`;
    const answers = () =>
      fetch(`${url}/healthz`).then(
        ({ status }) => status,
        () => undefined,
      );
    while ((await answers()) === undefined) await Bun.sleep(10);
    expect(await answers()).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect(ready.headers.get('Retry-After')).toBe('1');
    expect((await fetch(`${url}/api/items`)).status).toBe(503);
    expect((await add(url, 2)).status).toBe(503);

    await cluster.start();
    const shelf = await starting;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await add(url, 2)).status).toBe(201);
    expect(await shelf.stop()).toBe(0);
    expect(await shelf.errors()).toStartWith('shelf: The database does not answer (');
    await cluster.remove();
  });

  test.each([
    ['nothing listens', 'postgres://x@127.0.0.1:1/y', 'Cannot use the database'],
    ['the database does not exist', `${postgresUrl}_nowhere`, 'does not exist'],
    ['the URL is invalid', 'postgres://', '--database must be'],
  ])('ends the start with one line: %s', async (_, database, message) => {
    const { stderr, code } = await runShelf({
      args: ['--database', database, '--database-wait', '0s', '--port', '0'],
    });
    expect(stderr).toMatch(/^shelf: [^\n]*\n$/);
    expect(stderr).toContain(message);
    expect(code).toBeGreaterThan(0);
  });

  test('migrate creates the tables in advance', async () => {
    const database = await newDatabase();
    const { stdout, code } = await runShelf({ args: ['migrate', '--database', database] });
    expect(stdout).toContain('is ready for Shelf');
    expect(stdout).not.toContain('password');
    expect(code).toBe(0);
  });
});
