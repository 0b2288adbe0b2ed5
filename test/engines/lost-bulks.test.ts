/** An instance that is lost inside a transaction with the locks that all other instances wait for. */
import { afterEach, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { LostBulks } from '../../src/storage/postgres/bulk/lost-bulks.ts';
import { bulkLock, writeLock } from '../../src/storage/postgres/connect/locks.ts';
import { connect } from '../../src/storage/postgres/connect/pool.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { Forwarder } from '../postgres/forwarder.ts';
import { type ServerOptions, startServer, type TestServer } from '../support/servers/server.ts';

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function start(options: ServerOptions): Promise<TestServer> {
  const server = await startServer(options);
  open.push(server);
  return server;
}

function connectTo(url: string): SQL {
  const sql = new SQL({ url, max: 1 });
  open.push({ stop: () => sql.close({ timeout: 0 }) });
  return sql;
}

const post = ({ url }: TestServer) =>
  fetch(`${url}/api/items`, { method: 'POST', body: '{"id":7,"name":"one","price":1}' });
const bulk = ({ url }: TestServer, count: number) =>
  fetch(`${url}/api/v2/items`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: '{"name":"many","price":1}\n'.repeat(count),
  });
const total = async ({ url }: TestServer) =>
  ((await (await fetch(`${url}/api/v2/items?count=exact&limit=1`)).json()) as { total: number }).total;

/** Each attempt waits for at most the timeout of the server, which a busy machine may need for other work. */
async function postUntilStored(server: TestServer): Promise<void> {
  for (;;) {
    const { status } = await post(server);
    if (status === 201) return;
    expect(status).toBe(503);
  }
}

async function holdLocks(database: string): Promise<SQL> {
  const sql = connectTo(database);
  await sql`begin`;
  await sql`select pg_advisory_xact_lock(${bulkLock}::bigint), pg_advisory_xact_lock(${writeLock}::bigint)`;
  return sql;
}

/** A session with the locks of a bulk that has sent a part of its rows: PostgreSQL waits for the rest. */
async function loseBulk(database: string): Promise<{ send(row: string): Promise<void> }> {
  const sql = await holdLocks(database);
  await sql`create temp table _rows (value text)`;
  const writer = sql.unsafe('copy _rows from stdin').writable().getWriter();
  writer.closed.catch(() => {});
  const other = connectTo(database);
  let sent = 0;
  /** Resolves when PostgreSQL has the row. */
  const send = async (row: string) => {
    writer.write(row).catch(() => {});
    sent += row.length;
    const arrived = `select 1 from pg_stat_progress_copy where datname = current_database() and bytes_processed = ${sent}`;
    while ((await other.unsafe(arrived)).length === 0) await Bun.sleep(1);
  };
  await send('a part of');
  return { send };
}

describe.skipIf(postgresUrl === undefined)('on PostgreSQL', () => {
  const timeout = 1000;

  test('a write, a bulk and a start each end the bulk of an instance that is lost', async () => {
    const served = async () => {
      const database = await newDatabase();
      const server = await start({ database, storage: { timeout } });
      await loseBulk(database);
      return server;
    };
    const empty = async () => {
      const database = await newDatabase();
      await loseBulk(database);
      return database;
    };
    const [written, filled, database] = await Promise.all([served(), served(), empty()]);
    const [, added] = await Promise.all([
      postUntilStored(written),
      bulk(filled, 10),
      start({ database, storage: { timeout } }),
    ]);
    expect(added.status).toBe(201);
  });

  test('a bulk that is cut off in COPY and ended by a write of another instance adds nothing, and can be retried', async () => {
    const database = await newDatabase();
    const forwarder = new Forwarder(Number(new URL(database).port));
    open.push(forwarder);
    const messages: unknown[] = [];
    // It would wait for longer than the test.
    const lost = await start({ database: forwarder.through(database), storage: { timeout: 600_000 } });
    const other = await start({ database, storage: { timeout }, logTo: (entry) => messages.push(entry) });
    const direct = connectTo(database);
    /** What the session of the bulk waits for, and whether that is for rows; undefined if there is no bulk. */
    const session = async () => {
      const [row] = await direct`
        select wait_event, query like 'copy %' and state = 'active' from pg_locks join pg_stat_activity using (pid)
        where objid = ${bulkLock} and granted and datname = current_database()`.values();
      return row === undefined ? undefined : { event: row[0], isCopying: row[1] === true };
    };
    /** False if PostgreSQL had all rows of a part by then, and waits for a statement. */
    const cutOff = async (): Promise<boolean> => {
      while ((await session())?.isCopying !== true) await Bun.sleep(1);
      forwarder.hold();
      for (;;) {
        const found = await session();
        if (found === undefined) return false;
        if (found.event === 'ClientRead') return found.isCopying;
        await Bun.sleep(1);
      }
    };
    let answer = bulk(lost, 100_000);
    while (!(await cutOff())) {
      forwarder.release();
      await answer;
      answer = bulk(lost, 100_000);
    }
    const before = await total(other);
    await postUntilStored(other);
    forwarder.release();
    const refused = await answer;
    expect([refused.status, refused.headers.get('Retry-After'), await refused.json()]).toMatchObject([
      503,
      '1',
      {
        type: '/problems/storage-unavailable',
        detail: 'The database cannot store this now: nothing was changed; retry shortly.',
      },
    ]);
    expect(await total(other)).toBe(before + 1);
    expect((await bulk(lost, 100)).status).toBe(201);
    expect(messages).toContainEqual({
      level: 'warn',
      event: 'storage',
      message: 'A bulk was ended: its instance sent nothing for 500 ms, and writes waited.',
    });
  });

  const rows = async (database: string) => {
    const { send } = await loseBulk(database);
    return () => send('one more\n');
  };
  const statements = async (database: string) => {
    const held = await holdLocks(database);
    return async () => void (await held`select 1`);
  };

  test.each([
    ['rows', rows],
    ['statements', statements],
  ])('a bulk that sends %s from time to time is not ended, and one that sends nothing is', async (_, begin) => {
    const database = await newDatabase();
    const send = await begin(database);
    const sql = connectTo(database);
    const messages: string[] = [];
    // So short that the bulk has always waited for long enough.
    const bulks = new LostBulks({ once: (ask) => ask(sql) }, 2, (message) => messages.push(message));
    const look = async () => {
      await bulks.look();
      await Bun.sleep(2);
    };
    for (let n = 0; n < 10; n++) {
      await look();
      await send();
    }
    expect(messages).toEqual([]);
    while (messages.length === 0) await look();
    expect(messages).toEqual(['A bulk was ended: its instance sent nothing for 1 ms, and writes waited.']);
  });

  test('PostgreSQL ends a migration whose instance is lost between two statements', async () => {
    const database = await newDatabase();
    const sql = connectTo(database);
    const setting = 'idle_in_transaction_session_timeout';
    await sql`create table seen (milliseconds text)`;
    const body = `begin insert into seen values (current_setting('${setting}')); return new; end`;
    await sql.unsafe(`create function note() returns trigger language plpgsql as $$ ${body} $$`);
    await sql.unsafe(
      `create function note_ddl() returns event_trigger language plpgsql as $$ ${body.replace('return new;', '')} $$`,
    );
    await sql`create event trigger note_ddl on ddl_command_end execute function note_ddl()`;
    const seen = async () => {
      const rows =
        await sql`with _seen as (delete from seen returning milliseconds) select distinct * from _seen`.values();
      return rows.flat();
    };
    await (await startServer({ database })).stop();
    expect(await seen()).toEqual(['5s']);
    // After a restore in another cluster.
    await sql`drop event trigger note_ddl`;
    await sql`create trigger note before insert or update on settings for each row execute function note()`;
    await sql`update settings set value = 'another' where name = 'system'`;
    await seen();
    await (await startServer({ database })).stop();
    expect(await seen()).toContain('5s');
  });

  test('PostgreSQL soon notices that the client of a session is lost', async () => {
    const options = { url: await newDatabase(), timeoutMs: timeout, prepare: true, giveUpOn: 'lock_timeout' } as const;
    const sql = connect(options, { max: 1, idleTimeout: 1 });
    open.push({ stop: () => sql.close() });
    const [row] = await sql`
      select current_setting('tcp_keepalives_idle'), current_setting('tcp_keepalives_interval'),
        current_setting('tcp_keepalives_count'), current_setting('tcp_user_timeout')`.values();
    expect(row).toEqual(['10', '5', '2', '20000']);
  });
});
