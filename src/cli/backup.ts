/**
 * A copy of a SQLite database as it stands at one moment, made while it is served. It has a temporary name until it is
 * checked and on the disk: a file of the name that was asked for is a whole and sound backup, whatever interrupts this.
 */
import { Database } from 'bun:sqlite';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Collection } from '../domain/collection.ts';
import { StartError } from '../domain/errors.ts';
import type { Engine } from '../storage/open.ts';
import { copyMark, putMark } from '../storage/sqlite/file/lineage.ts';

/** Answers what to print. */
export function backup(engine: Engine, to: string, collections: readonly Collection[]): string {
  if (engine.kind !== 'sqlite') {
    throw new StartError('backup is for SQLite: PostgreSQL has pg_dump, and memory: keeps nothing.');
  }
  const [from, target] = [resolve(engine.path), resolve(to)];
  if (!existsSync(from)) throw new StartError(`There is no database ${engine.path}: name it with --database.`);
  // Before the work; `publish` refuses a file that appears meanwhile.
  if (existsSync(target)) throw exists(to);
  const copied = take(target, to);
  try {
    copy(from, copied);
    const counts = check(copied, collections);
    publish(copied, target, to);
    return `${to} is sound, and has ${counts}.\n`;
  } catch (error) {
    throw error instanceof StartError
      ? error
      : new StartError(`Cannot back up to ${to} (${(error as Error).message}).`);
  } finally {
    rmSync(copied, { force: true });
  }
}

function exists(to: string): StartError {
  return new StartError(`${to} exists already: choose another name, or move it away.`);
}

/** A temporary name in the same folder, as an empty file that only its owner can read. */
function take(target: string, to: string): string {
  const name = join(dirname(target), `.${basename(target)}.${crypto.randomUUID().slice(0, 8)}.partial`);
  try {
    closeSync(openSync(name, 'wx', 0o600));
    return name;
  } catch (error) {
    throw new StartError(`Cannot back up to ${to} (${(error as Error).message}): check the path and its rights.`);
  }
}

function copy(from: string, to: string): void {
  using db = new Database(from, { readonly: true });
  db.run('pragma busy_timeout = 5000');
  db.prepare('vacuum into ?').run(to);
  using made = new Database(to);
  putMark(made, copyMark);
}

function check(to: string, collections: readonly Collection[]): string {
  using made = new Database(to, { readonly: true });
  const verdict = made.prepare<{ integrity_check: string }, []>('pragma integrity_check').get()?.integrity_check;
  if (verdict !== 'ok') throw new StartError(`The copy is not sound (${verdict}): check the disk and try again.`);
  const counts = collections.map(({ name }) => {
    const count = made.prepare<{ count: number }, []>(`select count(*) as count from "${name}"`).get()?.count ?? 0;
    return `${count} ${name}`;
  });
  return counts.join(' and ');
}

/** What a file system without links answers. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives the copy its name, in one step and never over another file, once its content is on the disk. */
function publish(copied: string, target: string, to: string): void {
  sync(copied);
  try {
    linkSync(copied, target);
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (existsSync(target)) throw exists(to);
    if (!withoutLinks.includes(code)) throw error;
    renameSync(copied, target);
  }
  sync(dirname(target));
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
