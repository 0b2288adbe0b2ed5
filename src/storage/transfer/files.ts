/** Files that must be complete before they are visible. */
import { chmodSync, chownSync, closeSync, fsyncSync, openSync, statSync } from 'node:fs';

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
