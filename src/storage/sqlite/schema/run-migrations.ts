/** Runs the migrations that a SQLite database lacks. */
import type { Database } from 'bun:sqlite';
import { StartError } from '../../../domain/errors.ts';
import { migrations, type Step } from './migrations.ts';

/** "SHLF" in the file's header, so that another program's database is never changed. */
export const applicationId = 0x53484c46;

/** The number of migrations that the file has. */
export function versionIn(db: Database): number {
  using current = db.prepare<{ version: number }, []>('select version from schema_version');
  return current.get()?.version ?? 0;
}

/** Call it inside a transaction, so that all steps apply or none. */
export function runMigrations(db: Database, path: string): void {
  if (!hasRow(db, "select 1 from sqlite_schema where type = 'table' and name = 'schema_version'")) {
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
  if (version === migrations.length) return;
  for (const step of migrations.slice(version).flat()) runStep(db, step);
  db.run('update schema_version set version = ?', [migrations.length]);
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
