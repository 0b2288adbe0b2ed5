/** The contents of a PostgreSQL database, read in one transaction. */
import type { SQL } from 'bun';
import { type Collection, collection as compile } from '../../../domain/collection.ts';
import { StartError } from '../../../domain/errors.ts';
import { gapsFrom } from '../../../domain/history.ts';
import type { Stored } from '../../../domain/record.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import { storedDeclarationsIn } from '../../postgres/schema/evolution.ts';
import { selectedChange } from '../../postgres/statements/changes.ts';
import { openTable } from '../../postgres/statements/collection.ts';
import type { Columns } from '../../postgres/statements/columns.ts';
import { bounded, moment } from '../../postgres/statements/expressions.ts';
import { respelled } from '../../postgres/statements/recorded.ts';
import { type ApiKeyRow, apiKeyColumns } from '../../rows/api-key.ts';
import { type ChangeRow, changeColumns } from '../../rows/change.ts';
import type { IdempotencyKeyRow } from '../../rows/idempotency-key.ts';
import { batchBounds, type Contents, type Outline } from '../contents.ts';

/**
 * `sql` is one connection inside a transaction at REPEATABLE READ, or the only one that can write. Without `exact`, a role that cannot
 * read the sequences can read the rest: then the last number of a table is the highest that it has.
 */
export async function postgresContents(sql: SQL, declared: readonly Collection[], exact?: 'exact'): Promise<Contents> {
  const outline = await outlineOf(sql, declared, exact !== undefined);
  const byName = new Map(outline.parts.map(({ collection }) => [collection.name, collection]));
  return {
    outline,
    records: (of) => recordsIn(sql, of),
    changes: () => changesIn(sql, byName),
    apiKeys: () => apiKeysIn(sql),
    idempotencyKeys: () => idempotencyKeysIn(sql),
  };
}

async function outlineOf(sql: SQL, declared: readonly Collection[], isExact: boolean): Promise<Outline> {
  const declarations = await storedDeclarationsIn(sql, declared);
  const settings = new Map((await sql`select name, value from settings`.values()) as [string, string][]);
  const parts = [];
  for (const [name, { now }] of Object.entries(declarations))
    parts.push({
      collection: compile(name, now),
      records: await countIn(sql, name),
      last: await lastIn(sql, name, isExact),
    });
  return {
    declarations,
    parts,
    changes: { kept: await countIn(sql, 'changes'), last: await lastIn(sql, 'changes', isExact) },
    trimmed: Number(settings.get('trimmed') ?? 0),
    gaps: gapsFrom(settings.get('gaps')),
    secret: settings.get('secret') ?? '',
  };
}

async function countIn(sql: SQL, table: string): Promise<number> {
  const [row] = await sql.unsafe(`select count(*) from ${identifier(table)}`).values();
  return Number(row?.[0] ?? 0);
}

/** The last number of the sequence, also one that a failed transaction has taken. */
async function lastIn(sql: SQL, table: string, isExact: boolean): Promise<number> {
  const [sequence] = await sql`
    select name, has_sequence_privilege(name, 'select')
    from pg_get_serial_sequence(${identifier(table)}, 'seq') as name`.values();
  const [name, isReadable] = sequence ?? [];
  if (!isReadable && isExact)
    throw new StartError(`The database role cannot read the sequence ${name}: use the role that owns the tables.`);
  const [row] = isReadable
    ? await sql`select pg_sequence_last_value(${name}::regclass)`.values()
    : await sql.unsafe(`select max(seq) from ${identifier(table)}`).values();
  return Number(row?.[0] ?? 0);
}

/** Rows of the first page of a table: nothing is known about their size yet. */
const firstRows = 16;

/**
 * Yields pages, and asks for the next one while the reader works on the last: `page` returns at most `limit` rows after a number. The
 * database measures as many rows as it is asked for, so large ones are asked for a few at a time.
 */
async function* pagesOf(page: (after: number, limit: number) => Promise<Columns[]>): AsyncGenerator<Columns[]> {
  let coming = page(0, firstRows);
  for (;;) {
    const rows = await coming;
    const last = rows.at(-1)?.[0];
    if (last === undefined) return;
    coming = page(Number(last), Math.min(2 * rows.length, batchBounds.rows));
    // If the reader stops, or fails, this answer is not awaited.
    coming.catch(() => {});
    yield rows;
  }
}

async function* recordsIn(sql: SQL, of: Collection): AsyncGenerator<readonly Stored[]> {
  const table = openTable(of);
  const statement = table.chosenThatFit('where seq > $1::bigint', 'order by seq', '$2::int', String(bytesAtOnce));
  for await (const rows of pagesOf((...asked) => sql.unsafe(statement, asked).values()))
    yield rows.map((row) => table.decode(Number(row[0]), row.slice(1)));
}

const changesStatement = bounded(`
  select ${selectedChange},
    octet_length(record) as _size, row_number() over (order by seq) as _place
  from changes where seq > $1::bigint order by seq limit $2::int`);
const place = Object.fromEntries(changeColumns.map((column, index) => [column, index])) as ChangePlaces;
type ChangePlaces = Readonly<Record<(typeof changeColumns)[number], number>>;
/** An int8 arrives as text. */
const integers = [place.seq, place.record_seq, place.version];

async function* changesIn(sql: SQL, byName: ReadonlyMap<string, Collection>): AsyncGenerator<readonly ChangeRow[]> {
  for await (const rows of pagesOf((...asked) => sql.unsafe(changesStatement, asked).values()))
    yield rows.map((read) => {
      const row = read.slice(0, changeColumns.length) as (string | number | null)[];
      for (const index of integers) row[index] = Number(row[index]);
      const collection = byName.get(String(row[place.collection]));
      if (collection !== undefined) row[place.record] = respelled(collection, String(row[place.record]));
      return row;
    });
}

/** Few and small. */
async function* apiKeysIn(sql: SQL): AsyncGenerator<readonly ApiKeyRow[]> {
  const columns = apiKeyColumns.join(', ');
  const rows: ApiKeyRow[] = await sql.unsafe(`select ${columns} from api_keys order by id collate "C"`);
  if (rows.length > 0) yield [...rows];
}

const keysStatement = bounded(`
  select collection, key, digest, ${moment('at')}, record_seq, record,
    octet_length(record) as _size, row_number() over (order by collection collate "C", key) as _place
  from idempotency_keys where (collection collate "C", key) > ($1, $2) order by collection collate "C", key limit ${batchBounds.rows}`);

async function* idempotencyKeysIn(sql: SQL): AsyncGenerator<readonly IdempotencyKeyRow[]> {
  for (let after: [string, string] = ['', '']; ; ) {
    const rows: Columns[] = await sql.unsafe(keysStatement, after).values();
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(([collection, key, digest, at, seq, record]) => ({
      collection: String(collection),
      key: String(key),
      digest: String(digest),
      at: String(at),
      record_seq: Number(seq),
      record: String(record),
    }));
    after = [String(last[0]), String(last[1])];
  }
}
