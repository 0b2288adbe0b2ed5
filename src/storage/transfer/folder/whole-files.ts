/** Files that must be complete before they are visible. */
import { chmodSync, chownSync, closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { StartError } from '../../../domain/errors.ts';

/**
 * Creates a file for its owner alone, and returns its descriptor. Throws a StartError if there is anything of that name: a link could
 * lead to any file of this user.
 */
export function createFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    throw new StartError(`${path} was created by another program at the same time: nothing was written to it. Retry.`);
  }
}

/** Writes a file, or the names in a folder, to the disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Gives a new file the mode and the owner of the one that it is to replace. Only root can give a file away. */
export function takeAfter(path: string, old: string): void {
  const found = statSync(old, { throwIfNoEntry: false });
  if (found === undefined) return;
  chmodSync(path, found.mode & 0o777);
  if (process.getuid?.() === 0) chownSync(path, found.uid, found.gid);
}
