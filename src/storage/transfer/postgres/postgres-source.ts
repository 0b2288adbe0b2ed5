/** Opens a PostgreSQL database to read all of it. */
import type { ReservedSQL, SQL } from 'bun';
import { StartError } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { writeLock } from '../../postgres/connect/locks.ts';
import { storedDeclarationsIn } from '../../postgres/schema/evolution.ts';
import { migrations } from '../../postgres/schema/migrations.ts';
import { currentVersion, isOtherSystem } from '../../postgres/schema/schema.ts';
import type { SourceDatabase } from '../contents.ts';
import { requireVersion } from '../require-version.ts';
import { begin, type ConnectionOptions, connectForTransfer, requireNoServers } from './connections.ts';
import { postgresContents } from './postgres-contents.ts';

export type PostgresSourceOptions = ConnectionOptions & {
  /** For messages, without the password. */
  readonly label: string;
  /** No server may be connected, and nothing can be written until the source is closed. */
  readonly exclusive: boolean;
};

/** `sql` is the connection that the contents are read with, in one transaction. */
export type PostgresSource = SourceDatabase & { readonly sql: SQL };

export async function openPostgresSource(
  url: string,
  declared: readonly Collection[],
  options: PostgresSourceOptions,
): Promise<PostgresSource> {
  // A reserved connection that nothing refers to is closed by the garbage collector, and its locks are gone.
  const opened: { readonly pool: SQL; readonly connection: ReservedSQL }[] = [];
  const connection = async (): Promise<ReservedSQL> => {
    const pool = await connectForTransfer(url, options);
    const reserved = await pool.reserve().catch(async (error) => {
      await pool.close({ timeout: 0 });
      throw error;
    });
    opened.push({ pool, connection: reserved });
    return reserved;
  };
  const close = async () => {
    for (const { pool, connection } of opened.splice(0)) {
      connection.release();
      await pool.close({ timeout: 0 });
    }
  };
  try {
    const sql = await connection();
    await requireShelf(sql, options.label);
    // A connection of its own: to wait for a lock would begin the snapshot too early.
    if (options.exclusive) await keepWritersOut(sql, await connection(), declared, options);
    await begin(sql, options, 'isolation level repeatable read read only');
    return { ...(await postgresContents(sql, declared, options.exclusive ? 'exact' : undefined)), sql, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws a StartError unless the database has the tables of this version. */
export async function requireShelf(sql: SQL, label: string): Promise<void> {
  const [there] = await sql`select to_regclass('schema_version') is not null`.values();
  if (there?.[0] !== true) throw new StartError(`The database ${label} has no Shelf tables: correct the URL.`);
  requireVersion(await currentVersion(sql), migrations.length, label);
}

const ownTables = ['changes', 'settings', 'api_keys', 'idempotency_keys'];

/** Writers wait for the lock that every write takes; table locks keep out whatever writes without it. */
async function keepWritersOut(
  sql: SQL,
  keeper: SQL,
  declared: readonly Collection[],
  options: PostgresSourceOptions,
): Promise<void> {
  const { label } = options;
  await requireNoServers(sql, label, options);
  if (await isOtherSystem(sql))
    throw new StartError(
      `${label} is a copy that was never started: run shelf migrate on it first, so that it gives out no number twice.`,
    );
  const tables = [...ownTables, ...Object.keys(await storedDeclarationsIn(sql, declared))];
  await begin(keeper, options);
  await keeper.unsafe(`select pg_advisory_xact_lock(${writeLock})`);
  await keeper.unsafe(`lock table ${tables.map(identifier).join(', ')} in share mode`);
}
