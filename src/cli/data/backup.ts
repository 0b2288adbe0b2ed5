/**
 * Copies a SQLite database as of one moment, also while it is served. The copy has a temporary name until it is checked and
 * synced: a file with the final name is always a complete and sound backup, whatever interrupts this.
 */
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Engine } from '../../storage/open.ts';
import { copyMark, putMark } from '../../storage/sqlite/file/copy-mark.ts';
import { openDatabase } from '../../storage/sqlite/file/database.ts';
import { sync } from '../../storage/transfer/folder/whole-files.ts';
import { countIn } from '../../storage/transfer/sqlite/sqlite-contents.ts';
import { listed } from '../text/amounts.ts';

/** Of the copy that is made before values are lost. */
export function backupName(database: string): string {
  return `${database}.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
}

/** Returns the text to print. */
export function backup(engine: Engine, to: string, collections: readonly Collection[]): string {
  if (engine.kind !== 'sqlite') {
    throw new StartError('backup supports only SQLite: use pg_dump for PostgreSQL; memory: stores nothing to back up.');
  }
  const [from, target] = [resolve(engine.path), resolve(to)];
  if (!existsSync(from)) throw new StartError(`The database ${engine.path} does not exist: correct --database.`);
  // Fails early; `publish` also refuses a file that appears later.
  if (existsSync(target)) throw exists(to);
  const copied = createPartial(target, to);
  try {
    copy(from, copied);
    const counts = check(copied, collections);
    publish(copied, target, to);
    return `${to} is sound, and has ${counts}.\n`;
  } catch (error) {
    throw error instanceof StartError
      ? error
      : new StartError(
          `Cannot back up to ${to} (${(error as Error).message}): check the database and the disk, and retry.`,
        );
  } finally {
    rmSync(copied, { force: true });
  }
}

function exists(to: string): StartError {
  return new StartError(`${to} exists already: choose another name, or move it away.`);
}

/** Creates an empty file with a temporary name in the same folder, readable only by its owner. Returns its path. */
function createPartial(target: string, to: string): string {
  const name = join(dirname(target), `.${basename(target)}.${crypto.randomUUID().slice(0, 8)}.partial`);
  try {
    closeSync(openSync(name, 'wx', 0o600));
    return name;
  } catch (error) {
    throw new StartError(`Cannot back up to ${to} (${(error as Error).message}): check the path and its permissions.`);
  }
}

function copy(from: string, to: string): void {
  using db = openDatabase(from, { readonly: true });
  db.run('pragma busy_timeout = 5000');
  db.prepare('vacuum into ?').run(to);
  using made = openDatabase(to);
  putMark(made, copyMark);
}

function check(to: string, collections: readonly Collection[]): string {
  using made = openDatabase(to, { readonly: true });
  const verdict = made.prepare<{ integrity_check: string }, []>('pragma integrity_check').get()?.integrity_check;
  if (verdict !== 'ok') throw new StartError(`The copy is not sound (${verdict}): check the disk, and retry.`);
  using tables = made.prepare<{ name: string }, []>("select name from sqlite_schema where type = 'table'");
  const existing = tables.all().map(({ name }) => name);
  // A collection that was declared after the last start has no table yet.
  const counts = collections
    .filter(({ name }) => existing.includes(name))
    .map(({ name }) => `${countIn(made, name)} ${name}`);
  return listed(counts);
}

/**
 * Syncs the copy, then gives it its final name. Throws a StartError if that file exists. The check and the naming are one step
 * with a hard link, and two steps on a file system without them.
 */
function publish(copied: string, target: string, to: string): void {
  sync(copied);
  try {
    linkSync(copied, target);
  } catch {
    if (existsSync(target)) throw exists(to);
    renameSync(copied, target);
  }
  sync(dirname(target));
}
