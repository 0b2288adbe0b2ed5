/**
 * Puts a new database file in the place of an old one, and keeps the old one beside it. At every moment there is a whole database under
 * the name: a kill leaves the old one or the new one.
 */
import { constants, copyFileSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sync, takeAfter } from '../folder/whole-files.ts';

/** Files of SQLite beside the database: what a killed server has not checkpointed is only there. */
const logs = ['-wal', '-journal'];

/** Until the swap is complete, the old database has this name. */
const asideOf = (path: string) => join(dirname(path), `.${basename(path)}.old`);

/** The lock of the server is held. Returns the name of the old database; undefined if there was none. */
export function swapIn(next: string, path: string, keptName: string): string | undefined {
  settle(path, keptName);
  const aside = asideOf(path);
  const hasOld = exists(path);
  if (hasOld) {
    for (const end of ['', ...logs]) if (exists(path + end)) linkOrCopy(path + end, aside + end);
    takeAfter(next, path);
  }
  sync(next);
  renameSync(next, path);
  for (const end of [...logs, '-shm']) rmSync(path + end, { force: true });
  if (hasOld) nameOld(aside, keptName);
  sync(dirname(path));
  return hasOld ? keptName : undefined;
}

/** Completes or undoes a swap that was killed half way. */
export function settle(path: string, keptName: string): void {
  const aside = asideOf(path);
  if (!exists(aside)) {
    for (const end of logs) rmSync(aside + end, { force: true });
    return;
  }
  if (isSameFile(aside, path)) {
    for (const end of ['', ...logs]) rmSync(aside + end, { force: true });
    return;
  }
  // The new file is in place; a log beside it belongs to the old one.
  for (const end of logs) if (isSameFile(aside + end, path + end)) rmSync(path + end);
  nameOld(aside, `${keptName}-killed`);
}

/** The database last: as long as it has the other name, the swap is not complete. */
function nameOld(aside: string, keptName: string): void {
  for (const end of [...logs, '']) if (exists(aside + end)) renameSync(aside + end, keptName + end);
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

/** Error codes of a file system without hard links. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

function linkOrCopy(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
  } catch (error) {
    if (!withoutLinks.includes((error as { code?: string }).code ?? '')) throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}
