/** A copy of a SQLite database as it stands at one moment, made while it is served, and checked. */
import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Collection } from '../domain/collection.ts';
import { StartError } from '../domain/errors.ts';
import type { Engine } from '../storage/open.ts';
import { copyMark, putMark } from '../storage/sqlite/lineage.ts';

/** Answers what to print. */
export function backup(engine: Engine, to: string, collections: readonly Collection[]): string {
  if (engine.kind !== 'sqlite') {
    throw new StartError('backup is for SQLite: PostgreSQL has pg_dump, and memory: keeps nothing.');
  }
  const [from, target] = [resolve(engine.path), resolve(to)];
  if (!existsSync(from)) throw new StartError(`There is no database ${engine.path}: name it with --database.`);
  take(target, to);
  try {
    copy(from, target);
    return `${to} is sound, and has ${check(target, collections)}.\n`;
  } catch (error) {
    rmSync(target, { force: true });
    throw error instanceof StartError
      ? error
      : new StartError(`Cannot back up to ${to} (${(error as Error).message}).`);
  }
}

/** As an empty file, which nobody else can have made. */
function take(target: string, to: string): void {
  try {
    closeSync(openSync(target, 'wx', 0o600));
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new StartError(
      code === 'EEXIST'
        ? `${to} exists already: choose another name, or move it away.`
        : `Cannot back up to ${to} (${message}): check the path and its rights.`,
    );
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
