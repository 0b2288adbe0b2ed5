/**
 * Compares the schema of a file with the schema that Shelf creates for the stored declarations. A trigger, a view or a column of
 * another program could change records without any check.
 */
import { Database } from 'bun:sqlite';
import { hasKnownType } from '../../../declarations/check-field.ts';
import { collectionNameMistake } from '../../../declarations/names.ts';
import { StartError } from '../../../domain/errors.ts';
import { lazy } from '../../../domain/lazy.ts';
import { type Collection, collection } from '../../../domain/record/collection.ts';
import { createIndexes, createTable } from '../statements/collection-sql.ts';
import { createWords, isWordsTable, wordsTableName } from '../statements/words-sql.ts';
import { inferredIn, storedDeclarationsIn } from './evolution.ts';
import { runMigrations } from './run-migrations.ts';
import { definitionOf, isSameTable, nameIn, normalized } from './table-definition.ts';

type Kind = 'table' | 'virtual table' | 'index' | 'trigger' | 'view';
type Entry = { readonly kind: Kind; readonly name: string; readonly table: string; readonly sql: string };
type Entries = ReadonlyMap<string, Entry>;

/** Throws a StartError, before any write, if the file has code that SQLite runs with a statement. */
export function requireInert(db: Database, path: string): void {
  const isCode = ({ kind, sql }: Entry) =>
    kind !== 'table' && kind !== 'index' && !(kind === 'virtual table' && isWordsTable(sql));
  refuse([...entriesIn(db).values()].filter(isCode).map(unknown), path);
}

/** Throws a StartError unless the schema is Shelf's own. The file must have all migrations. */
export function requireOwnSchema(db: Database, path: string): void {
  refuse(compared(db).wrong, path);
}

/** Returns a line for each difference. The file must have all migrations. */
export function schemaProblems(db: Database): string[] {
  const { wrong, missing } = compared(db);
  return [...wrong, ...missing];
}

/** `missing` are indexes: earlier versions lost some, and a start creates them. */
function compared(db: Database): { readonly wrong: readonly string[]; readonly missing: readonly string[] } {
  const found = entriesIn(db);
  const stored = storedDeclarationsIn(db, []);
  const others = [...found].flatMap(([key, entry]) =>
    ownEntries().has(key) || stored[entry.name] !== undefined ? [] : undeclaredIn(db, entry),
  );
  const { known = [], newer = [] } = Object.groupBy(Object.entries(stored), ([, { now }]) =>
    Object.values(now.fields).every(hasKnownType) ? 'known' : 'newer',
  );
  const collections = [...known.map(([name, { now }]) => collection(name, now)), ...others];
  const hasWords = ({ name }: Collection) => found.has(`virtual table ${wordsTableName(name)}`);
  const created = entriesOf((empty) => {
    for (const one of collections) {
      const words = hasWords(one) ? createWords(one) : [];
      for (const statement of [...createTable(one), ...createIndexes(one), ...words]) empty.run(statement);
    }
  });
  const lost = collections.filter((one) => one.searched.length > 0 && !hasWords(one));
  // A newer Shelf has created these tables; this version does not serve them.
  const ofNewer = ({ kind, table, sql }: Entry) =>
    newer.some(
      ([name]) =>
        (name === table && (kind === 'table' || kind === 'index')) ||
        (table.startsWith(wordsTableName(name)) && (kind === 'table' || isWordsTable(sql))),
    );
  const own = new Map([...found].filter(([, entry]) => !ofNewer(entry)));
  const { wrong, missing } = differences(own, new Map([...ownEntries(), ...created]));
  return {
    wrong,
    missing: [...missing, ...lost.map(({ name }) => `missing words of ${JSON.stringify(name)}: ${start}`)],
  };
}

/** The collection of a table of an early release, which stored no declarations. Without a declaration it is not served, and stays. */
function undeclaredIn(db: Database, { kind, name, sql }: Entry) {
  if (kind !== 'table' || collectionNameMistake(name) !== undefined) return [];
  const inferred = collection(name, inferredIn(db, { name, singular: name }).now);
  const [statement = ''] = createTable(inferred);
  return isSameTable(definitionOf(statement), definitionOf(sql)) ? [inferred] : [];
}

/** The schema that every database has after all migrations. */
const ownEntries = lazy(() => entriesOf((empty) => runMigrations(empty, ':memory:')));

/** The schema of an empty database after `create`. */
function entriesOf(create: (empty: Database) => void): Entries {
  using empty = new Database(':memory:');
  create(empty);
  return entriesIn(empty);
}

/** By kind and name, without the automatic indexes of tables and without `ofTools`. */
function entriesIn(db: Database): Entries {
  using entries = db.prepare<Entry, []>(
    `select iif(sql like 'create virtual%', 'virtual table', type) as kind, name, tbl_name as "table", sql
     from sqlite_schema where sql is not null`,
  );
  const all = entries.all().filter(({ sql }) => !ofTools.includes(sql));
  return new Map(all.map((entry) => [`${entry.kind} ${entry.name}`, entry]));
}

/** The statistics of `analyze`, and the tables of Litestream, which replicates databases while they are served. */
const ofTools = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
  'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
  'CREATE TABLE _litestream_lock (id INTEGER)',
];

const start = 'start a server, which makes it';
const drop = 'drop it with an SQL client';
const undo = 'undo that with an SQL client, or restore a backup';

function differences(found: Entries, expected: Entries) {
  const lacks = (isIndex: boolean) =>
    [...expected.values()]
      .filter(({ kind, name }) => !found.has(`${kind} ${name}`) && (kind === 'index') === isIndex)
      .map((entry) => `missing ${named(entry)}: ${isIndex ? start : undo}`);
  const others = [...found].flatMap(([key, entry]) => {
    const own = expected.get(key);
    return own === undefined ? [unknown(entry)] : changes(entry, own);
  });
  return { wrong: [...others, ...lacks(false)], missing: lacks(true) };
}

const unknown = (entry: Entry) => `unknown ${named(entry)}: ${drop}`;

function named({ kind, name, table }: Entry): string {
  const on = kind === 'index' || kind === 'trigger' ? ` on table ${JSON.stringify(table)}` : '';
  return `${kind} ${JSON.stringify(name)}${on}`;
}

function changes(found: Entry, own: Entry): string[] {
  if (found.kind !== 'table')
    return normalized(found.sql) === normalized(own.sql) ? [] : [`changed ${named(found)}: ${undo}`];
  const [now, before] = [definitionOf(found.sql), definitionOf(own.sql)];
  if (isSameTable(now, before)) return [];
  const added = now.columns.filter((one) => !before.columns.includes(one)).map(nameIn);
  const removed = before.columns.filter((one) => !now.columns.includes(one)).map(nameIn);
  const column = (name: string) => `column ${JSON.stringify(name)} of ${named(found)}`;
  const lines = [
    ...added.map((name) =>
      removed.includes(name) ? `changed ${column(name)}: ${undo}` : `unknown ${column(name)}: ${drop}`,
    ),
    ...removed.filter((name) => !added.includes(name)).map((name) => `missing ${column(name)}: ${undo}`),
  ];
  return lines.length > 0 ? lines : [`changed ${named(found)}: ${undo}`];
}

/** The most lines in one message. */
const most = 10;

function refuse(lines: readonly string[], path: string): void {
  if (lines.length === 0) return;
  const shown = lines.slice(0, most).join('; ');
  const more = lines.length > most ? `; and ${lines.length - most} more` : '';
  throw new StartError(`Another program changed the schema of ${path}, and nothing was done: ${shown}${more}.`);
}
