/** The contents of a PostgreSQL database, read in one transaction. */
import type { SQL } from 'bun';
import { StartError } from '../../../domain/errors.ts';
import { gapsFrom } from '../../../domain/feed/feed-history.ts';
import { type Collection, collection as compile } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import { storedDeclarationsIn } from '../../postgres/schema/evolution.ts';
import { changeSize, selectedChange } from '../../postgres/statements/changes.ts';
import type { Columns } from '../../postgres/statements/columns.ts';
import { bounded, moment } from '../../postgres/statements/expressions.ts';
import { respelled } from '../../postgres/statements/respelled.ts';
import { openTable } from '../../postgres/statements/table.ts';
import { apiKeyColumns } from '../../rows/api-key.ts';
import { changeColumns } from '../../rows/change.ts';
import { batchBounds, type DatabaseContents, type Outline, type OwnTable, type TableRow } from '../contents.ts';

/**
 * `sql` is one connection inside a transaction at REPEATABLE READ, or the only one that can write. Without `exact`, a role that cannot
 * read the sequences can read the rest: then the last number of a table is the highest that it has.
 */
export async function postgresContents(
  sql: SQL,
  declared: readonly Collection[],
  exact?: 'exact',
): Promise<DatabaseContents> {
  const outline = await outlineOf(sql, declared, exact !== undefined);
  const byName = new Map(outline.parts.map(({ collection }) => [collection.name, collection]));
  return {
    outline,
    records: (of, after) => recordsIn(sql, of, after),
    rows: (of) => rowsIn(sql, of, byName),
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
 * Yields pages, and asks for the next one while the reader works on the last. `statement` returns rows after one whose first columns are
 * `start`, and at most as many as its last parameter says. The database measures all of these, so large rows are asked for a few at a time.
 */
async function* pagesOf(sql: SQL, statement: string, start: Columns): AsyncGenerator<Columns[]> {
  const page = (after: Columns, limit: number): Promise<Columns[]> => sql.unsafe(statement, [...after, limit]).values();
  let coming = page(start, firstRows);
  for (;;) {
    const rows = await coming;
    const last = rows.at(-1);
    if (last === undefined) return;
    coming = page(last.slice(0, start.length), Math.min(2 * rows.length, batchBounds.rows));
    // If the reader stops, or fails, this answer is not awaited.
    coming.catch(() => {});
    yield rows;
  }
}

async function* recordsIn(sql: SQL, of: Collection, after = 0): AsyncGenerator<readonly Stored[]> {
  const table = openTable(of);
  const rows = `${identifier(of.name)} where seq > $1::bigint`;
  const statement = table.chosenThatFit(rows, 'order by seq', '$2::int', String(bytesAtOnce));
  for await (const rows of pagesOf(sql, statement, [after]))
    yield rows.map((row) => table.decode(Number(row[0]), row.slice(1)));
}

const changesStatement = bounded(`
  select ${selectedChange},
    ${changeSize} as _size, row_number() over (order by seq) as _place
  from changes where seq > $1::bigint order by seq limit $2::int`);

const keysStatement = bounded(`
  select collection, key, digest, ${moment('at')}, record_seq, record,
    octet_length(record) as _size, row_number() over (order by collection collate "C", key) as _place
  from idempotency_keys where (collection collate "C", key) > ($1, $2) order by collection collate "C", key limit $3::int`);

async function* tablePages(sql: SQL, { name }: OwnTable): AsyncGenerator<Columns[]> {
  if (name === 'changes') yield* pagesOf(sql, changesStatement, [0]);
  else if (name === 'idempotency_keys') yield* pagesOf(sql, keysStatement, ['', '']);
  else {
    // Few and small.
    const rows = await sql.unsafe(`select ${apiKeyColumns.join(', ')} from api_keys order by id collate "C"`).values();
    if (rows.length > 0) yield rows;
  }
}

/** An int8 arrives as text. */
const integers = ['seq', 'record_seq', 'version', 'transaction_first'];
const collectionAt = changeColumns.indexOf('collection');
/** The columns with JSON. */
const recordsAt = [changeColumns.indexOf('record'), changeColumns.indexOf('before')];

async function* rowsIn(
  sql: SQL,
  of: OwnTable,
  byName: ReadonlyMap<string, Collection>,
): AsyncGenerator<readonly TableRow[]> {
  const isInteger = of.columns.map((column) => integers.includes(column));
  for await (const page of tablePages(sql, of))
    yield page.map((read) => {
      const row = isInteger.map((isNumber, at) => {
        const value = (read[at] ?? null) as string | number | null;
        return isNumber && value !== null ? Number(value) : value;
      });
      const collection = of.name === 'changes' ? byName.get(String(row[collectionAt])) : undefined;
      if (collection === undefined) return row;
      return row.map((value, at) =>
        recordsAt.includes(at) && value !== null ? respelled(collection, String(value)) : value,
      );
    });
}
