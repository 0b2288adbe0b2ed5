/** A PostgreSQL database that an export is merged into. */
import type { ReservedSQL, SQL } from 'bun';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { changesChannel, writeLock } from '../../postgres/connect/locks.ts';
import { moment, now } from '../../postgres/statements/expressions.ts';
import { openTable } from '../../postgres/statements/table.ts';
import { dialect } from '../../postgres/statements/table-sql.ts';
import type { AskPair } from '../constraints.ts';
import type { Outline } from '../contents.ts';
import type { Merge } from '../merge.ts';
import { begin, type ConnectionOptions, connectForTransfer, guarded, requireNoServers } from './connections.ts';
import { copyRows } from './copy-rows.ts';
import { postgresContents } from './postgres-contents.ts';
import { askPair, recordRow } from './postgres-rows.ts';
import { requireShelf } from './postgres-source.ts';

export async function openPostgresMerge(
  url: string,
  declared: readonly Collection[],
  options: ConnectionOptions & { readonly label: string },
): Promise<Merge> {
  const pool = await connectForTransfer(url, options);
  try {
    const sql = await pool.reserve();
    await requireShelf(sql, options.label);
    await begin(sql, options);
    await sql.unsafe(`select pg_advisory_xact_lock(${writeLock})`);
    await requireNoServers(sql, options.label, options);
    const { outline } = await postgresContents(sql, declared, 'exact');
    const [row] = await sql.unsafe(`select ${moment(now)}`).values();
    return new PostgresMerge(pool, sql, outline, String(row?.[0]));
  } catch (error) {
    await pool.close({ timeout: 0 });
    throw error;
  }
}

class PostgresMerge implements Merge {
  constructor(
    readonly pool: SQL,
    readonly sql: ReservedSQL,
    readonly outline: Outline,
    readonly at: string,
  ) {}

  async existing(of: Collection, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const { some, decode } = openTable(of);
    const found = new Map<number, string>();
    // Large records come few at a time.
    for (let rest = ids; rest.length > 0; ) {
      const rows = await this.sql.unsafe(some, [`{${rest.join(',')}}`]).values();
      for (const [recordId, ...columns] of rows)
        found.set(Number(recordId), of.record.encode(decode(Number(recordId), columns)));
      const last = Number(rows.at(-1)?.[0]);
      const isWhole = rows.length === 0 || Number(rows[0]?.at(-1)) === rows.length;
      rest = isWhole ? [] : rest.slice(rest.indexOf(last) + 1);
    }
    return found;
  }

  async beginEpoch(lost: number): Promise<void> {
    await this.sql`select shelf_new_epoch(${lost}::bigint, null)`;
  }

  async insert(to: Collection, records: readonly Stored[]): Promise<void> {
    await guarded(this.sql, async () => {
      const { into, fields } = recordRow(to);
      await copyRows(this.sql, into, [records], fields);
      const columns = 'changes (collection, type, record_seq, version, created_at, at, updated_at, record)';
      await copyRows(this.sql, columns, [records], ({ recordId, version, createdAt, updatedAt, row }) => [
        ...[to.name, 'created', String(recordId), String(version), createdAt, this.at, updatedAt, to.encode(row)],
      ]);
    });
  }

  readonly dialect = dialect;
  readonly ask: AskPair = (query) => askPair(this.sql, query);

  async commit(): Promise<void> {
    await this.sql`select pg_notify(${changesChannel}, '')`;
    await this.sql.unsafe('commit');
  }

  async close(): Promise<void> {
    await this.pool.close({ timeout: 0 });
  }
}
