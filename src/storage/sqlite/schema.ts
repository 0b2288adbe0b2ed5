/** Migrates a SQLite database to the schema of this version. */
import type { Database } from 'bun:sqlite';
import type { Evolution } from '../../declarations/refusal.ts';
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import { atStart, evolve } from './evolution.ts';
import { migrations, type Step } from './migrations.ts';

/** "SHLF" in the file's header, so that another program's database is never changed. */
const applicationId = 0x53484c46;

function tableNames(db: Database): Set<string> {
  using tables = db.prepare<{ name: string }, []>("select name from sqlite_schema where type = 'table'");
  return new Set(tables.all().map(({ name }) => name));
}

export function isEmpty(db: Database): boolean {
  return tableNames(db).size === 0;
}

/** Throws a StartError, before any write, if the file is another program's database. */
export function requireOwn(db: Database, path: string): void {
  using owner = db.prepare<{ application_id: number }, []>('pragma application_id');
  if (isEmpty(db) || owner.get()?.application_id === applicationId) return;
  throw new StartError(`${path} is another program's database: choose another file with --database.`);
}

/** The number of migrations that the file has. */
export function versionIn(db: Database): number {
  using current = db.prepare<{ version: number }, []>('select version from schema_version');
  return current.get()?.version ?? 0;
}

/** For a process that opens a file that a server has open, and so cannot migrate it. Throws a StartError. */
export function requireCurrent(db: Database, path: string): void {
  if (versionIn(db) === migrations.length) return;
  throw new StartError(`${path} is served by another version of Shelf: restart that server with this one first.`);
}

/** Call it inside a transaction, so that all steps apply or none. Returns the collections that are new. */
export function migrate(
  db: Database,
  collections: readonly Collection[],
  path: string,
  evolution: Evolution = { ...atStart, onStep: () => {} },
): Collection[] {
  const tables = tableNames(db);
  if (!tables.has('schema_version')) {
    db.run(`pragma application_id = ${applicationId}`);
    db.run('create table schema_version (version integer not null) strict');
    db.run('insert into schema_version values (0)');
  }
  const version = versionIn(db);
  if (version > migrations.length) {
    throw new StartError(
      `${path} was written by a newer Shelf (schema ${version}, this one knows ${migrations.length}): upgrade Shelf.`,
    );
  }
  if (version < migrations.length) {
    for (const step of migrations.slice(version).flat()) runStep(db, step);
    db.run('update schema_version set version = ?', [migrations.length]);
  }

  const fresh = evolve(db, collections, evolution);
  requireColumns(db, collections, path);
  return fresh;
}

/** Throws a StartError unless every table has the declared columns and types. */
function requireColumns(db: Database, collections: readonly Collection[], path: string): void {
  using columns = db.prepare<{ table: string; name: string; type: string }, []>(
    `select tables.name as "table", columns.name, lower(columns.type) as type
     from sqlite_schema as tables join pragma_table_info(tables.name) as columns where tables.type = 'table'`,
  );
  const found = new Map(columns.all().map(({ table, name, type }) => [`${table}.${name}`, type]));
  for (const { name, fields } of collections) {
    for (const [key, { sqlite }] of Object.entries(fields)) {
      const there = found.get(`${name}.${key}`);
      if (there !== sqlite.column)
        throw new StartError(
          `The column ${key} of the table ${name} in ${path} is ${there ?? 'missing'}, expected ${sqlite.column}: another program changed the table.`,
        );
    }
  }
}

function runStep(db: Database, step: Step): void {
  if (typeof step === 'string') {
    db.run(step);
    return;
  }
  if (hasRow(db, step.where)) for (const statement of step.run) db.run(statement);
}

function hasRow(db: Database, query: string): boolean {
  using found = db.prepare(query);
  return found.get() !== null;
}
