/** Files that must be complete before they are visible. */
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Writes a file, or the names in a folder, to the disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
