/**
 * Whether a database file is the one that the last server left here. Each run puts a mark of its own into the file's
 * header and notes it beside the lock: a file that bears another mark is a copy, such as a backup that was restored.
 */
import type { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { StartError } from '../../../domain/errors.ts';
import type { RunNote } from './lock.ts';

/** "COPY": borne by what `shelf backup` makes. */
export const copyMark = 0x434f5059;

/** What can be seen of a file without SQLite, which would replay whatever log lies beside it. */
export type Found = {
  readonly size: number;
  readonly inode: number;
  /** The creation time in milliseconds; 0 if the file system does not record it. */
  readonly born: number;
  readonly mark: number;
  readonly wal: number;
  readonly journal: number;
};

/** `new`: there is nothing yet. `same`: as the last server left it. `copy`: of an earlier moment, or from elsewhere. */
export type Arrival = 'new' | 'same' | 'copy';

/** The header keeps the mark as SQLite's user version. */
const markOffset = 60;

export function findFile(path: string): Found {
  const sizeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  const { size, ino: inode, birthtimeMs: born } = statSync(path);
  const header = Buffer.alloc(markOffset + 4);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return {
    size,
    inode,
    born,
    mark: header.readInt32BE(markOffset),
    wal: sizeOf(`${path}-wal`),
    journal: sizeOf(`${path}-journal`),
  };
}

/** Throws where only a part of a database was put here. */
export function arrivalOf(found: Found, note: RunNote | undefined, path: string): Arrival {
  const { size, mark, wal, journal } = found;
  if (journal > 0) {
    throw new StartError(
      `${path}-journal is left over from another program or an interrupted copy: restore ${path} whole, or move the journal away.`,
    );
  }
  if (size === 0) {
    if (wal === 0) return 'new';
    throw new StartError(`${path} is empty, but ${path}-wal is not: restore both, or move the -wal away.`);
  }
  const known = note === undefined ? mark === 0 : note.marks.includes(mark);
  // With its note and its log, it was copied as a whole.
  if (known) return note === undefined || isThatFile(found, note) ? 'same' : 'copy';
  if (wal > 0 && (note !== undefined || mark === copyMark)) {
    throw new StartError(
      `${path} was replaced, but ${path}-wal belongs to the file before: delete ${path}-wal and ${path}-shm. ` +
        `If the -wal was copied together with the database, delete ${path}-lock instead.`,
    );
  }
  return 'copy';
}

/** Compares the creation time too, because ext4 reuses the inode of a deleted file. */
function isThatFile({ inode, born }: Found, note: RunNote): boolean {
  return note.inode === inode && (note.born === undefined || note.born === born);
}

/** One that no run before is likely to have had; never 0, which a file without a mark bears. */
export function newMark(): number {
  const mark = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
  return mark === 0 || mark === copyMark ? newMark() : mark;
}

export function putMark(db: Database, mark: number): void {
  db.run(`pragma user_version = ${mark}`);
}
