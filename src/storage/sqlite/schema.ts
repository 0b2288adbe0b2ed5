/** Brings a SQLite database to the shape that this version of the program works with. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import { keysIndex, keysTable } from '../key-rows.ts';
import { columnNames, createIndexes, createTable } from './sql.ts';

/** "SHLF", kept in the file's header so that another program's database is never touched. */
const applicationId = 0x53484c46;

/** Forward migrations; a database at version n has had the first n. A released one is never edited. */
const migrations: readonly (readonly string[])[] = [
  [
    `create table changes (
       seq integer primary key autoincrement,
       collection text not null,
       type text not null check (type in ('created', 'updated', 'deleted')),
       record_seq integer not null,
       version integer not null,
       created_at text not null,
       at text not null,
       record text not null
     ) strict`,
  ],
  // What a deleted record last said of itself; of the others it is the time of the change.
  [
    'alter table changes add column updated_at text',
    'create table settings (name text primary key, value text not null) strict',
    "insert into settings values ('secret', lower(hex(randomblob(32))))",
    `create table idempotency_keys (
       collection text not null,
       key text not null,
       digest text not null,
       at text not null,
       record_seq integer not null,
       record text not null,
       primary key (collection, key)
     ) strict, without rowid`,
  ],
  [`${keysTable} strict`, keysIndex],
];

function tableNames(db: Database): Set<string> {
  using tables = db.prepare<{ name: string }, []>("select name from sqlite_schema where type = 'table'");
  return new Set(tables.all().map(({ name }) => name));
}

/** Throws before anything is written where the file holds something else. */
export function requireOwn(db: Database, path: string): void {
  using owner = db.prepare<{ application_id: number }, []>('pragma application_id');
  if (tableNames(db).size === 0 || owner.get()?.application_id === applicationId) return;
  throw new StartError(`${path} is another program's database: choose another file with --database.`);
}

/** For whoever comes to a file that a server has open, and so cannot change its shape. */
export function requireCurrent(db: Database, path: string): void {
  using current = db.prepare<{ version: number }, []>('select version from schema_version');
  if (current.get()?.version === migrations.length) return;
  throw new StartError(`${path} is served by another version of Shelf: restart that server with this one first.`);
}

/** Runs inside one transaction: either all of it has happened, or nothing. Answers the collections that are new. */
export function migrate(db: Database, collections: readonly Collection[], path: string): Collection[] {
  const tables = tableNames(db);
  if (!tables.has('schema_version')) {
    db.run(`pragma application_id = ${applicationId}`);
    db.run('create table schema_version (version integer not null) strict');
    db.run('insert into schema_version values (0)');
  }
  using current = db.prepare<{ version: number }, []>('select version from schema_version');
  const version = current.get()?.version ?? 0;
  if (version > migrations.length) {
    throw new StartError(
      `${path} was written by a newer Shelf (schema ${version}, this one knows ${migrations.length}): upgrade Shelf.`,
    );
  }
  if (version < migrations.length) {
    for (const statement of migrations.slice(version).flat()) db.run(statement);
    db.run('update schema_version set version = ?', [migrations.length]);
  }

  const fresh = collections.filter(({ name }) => !tables.has(name));
  for (const collection of fresh) for (const statement of createTable(collection)) db.run(statement);
  for (const collection of collections) compare(db, collection, path);
  for (const statement of collections.flatMap(createIndexes)) db.run(statement);
  return fresh;
}

function compare(db: Database, collection: Collection, path: string): void {
  using columns = db.prepare<{ name: string }, [string]>('select name from pragma_table_info(?)');
  const found = columns.all(collection.name).map(({ name }) => name);
  const declared = columnNames(collection);
  if (found.join() === declared.join()) return;
  throw new StartError(
    `The table ${collection.name} in ${path} has the columns ${found.join(', ')}, but ${declared.join(', ')} are ` +
      'declared: add a migration that brings it there.',
  );
}
