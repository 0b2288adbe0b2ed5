/** Connections to PostgreSQL for commands that read or write a whole database. */
import type { SQL } from 'bun';
import { StartError } from '../../../domain/errors.ts';
import { connect, serverName } from '../../postgres/connect/pool.ts';
import { findPrimary } from '../../postgres/primary/find-primary.ts';

/** Its name in pg_stat_activity, which differs from that of servers. */
const applicationName = 'shelf data';

export type ConnectionOptions = { readonly timeoutMs: number; readonly prepare: boolean };

export async function connectForTransfer(url: string, { timeoutMs, prepare }: ConnectionOptions): Promise<SQL> {
  const options = { timeoutMs, prepare, applicationName };
  const server = await findPrimary(url, options);
  return connect({ ...options, url: server, giveUpOn: 'lock_timeout' }, { max: 1, idleTimeout: 0 });
}

/** Begins a transaction. A statement on a whole table takes as long as it takes, but a lock is not waited for longer. */
export async function begin(sql: SQL, { timeoutMs }: ConnectionOptions, mode = ''): Promise<void> {
  await sql.unsafe(`begin ${mode}`);
  await sql.unsafe(`set local lock_timeout = ${timeoutMs}`);
  await sql.unsafe('set local statement_timeout = 0');
  await sql.unsafe('set local idle_in_transaction_session_timeout = 0');
}

/** After an error the transaction goes on from here. */
export async function guarded<Result>(sql: SQL, use: () => Promise<Result>): Promise<Result> {
  await sql.unsafe('savepoint _guarded');
  try {
    const result = await use();
    await sql.unsafe('release savepoint _guarded');
    return result;
  } catch (error) {
    // If this fails too, the connection is gone: the first error says why.
    await sql.unsafe('rollback to savepoint _guarded').catch(() => {});
    throw error;
  }
}

/** In milliseconds. */
const pauseMs = 50;

/** Throws a StartError if a server is connected to the database. One that has just ended is waited for. */
export async function requireNoServers(sql: SQL, label: string, { timeoutMs }: ConnectionOptions): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    // Within a transaction, PostgreSQL would show what it has shown before.
    await sql`select pg_stat_clear_snapshot()`;
    const [row] = await sql`
      select count(*) from pg_stat_activity
      where datname = current_database() and application_name = ${serverName}`.values();
    const found = Number(row?.[0] ?? 0);
    if (found === 0) return;
    if (performance.now() > until)
      throw new StartError(
        `A Shelf server uses ${label} (${found} ${found === 1 ? 'connection' : 'connections'}): stop it first, and retry.`,
      );
    await Bun.sleep(pauseMs);
  }
}
