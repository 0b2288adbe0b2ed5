/** Migrates a SQLite database to the schema of this version. */
import type { Database } from 'bun:sqlite';
import type { Evolution } from '../../../declarations/refusal.ts';
import { StartError } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { atStart, evolve } from './evolution.ts';
import { migrations } from './migrations.ts';
import { requireInert, requireOwnSchema } from './own-schema.ts';
import { applicationId, runMigrations, versionIn } from './run-migrations.ts';

export function isEmpty(db: Database): boolean {
  using tables = db.prepare("select 1 from sqlite_schema where type = 'table'");
  return tables.get() === null;
}

/** Throws a StartError, before any write, if the file is another program's database. */
export function requireOwn(db: Database, path: string): void {
  using owner = db.prepare<{ application_id: number }, []>('pragma application_id');
  if (isEmpty(db) || owner.get()?.application_id === applicationId) return;
  throw new StartError(`${path} is another program's database: choose another file with --database.`);
}

/** For a process that cannot migrate the file, because a server has it open. Throws a StartError if the versions differ. */
export function requireCurrent(db: Database, path: string): void {
  if (versionIn(db) === migrations.length) return;
  throw new StartError(`${path} is served by another version of Shelf: restart that server with this one first.`);
}

/** Call it inside a transaction, so that all steps apply or none. Returns the new collections. */
export function migrate(
  db: Database,
  collections: readonly Collection[],
  path: string,
  evolution: Evolution = { ...atStart, onStep: () => {} },
): Collection[] {
  requireInert(db, path);
  runMigrations(db, path);
  requireOwnSchema(db, path);
  const before = cookieIn(db);
  const fresh = evolve(db, collections, evolution);
  // A start must not leave a file that the next start refuses.
  if (cookieIn(db) !== before) requireOwnSchema(db, path);
  return fresh;
}

/** SQLite increments it with each change of the schema. */
function cookieIn(db: Database): number | undefined {
  using cookie = db.prepare<{ schema_version: number }, []>('pragma schema_version');
  return cookie.get()?.schema_version;
}
