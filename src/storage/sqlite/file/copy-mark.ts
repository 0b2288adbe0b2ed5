/**
 * Detects whether a database file is the one that the last server left here. Each run writes a random mark to the file's
 * header and to the lock file. A file with another mark is a copy, such as a restored backup.
 */
import type { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { StartError } from '../../../domain/errors.ts';
import type { RunNote } from './lock.ts';

/** "COPY": the mark of every file that `shelf backup` writes. */
export const copyMark = 0x434f5059;

/** The state of a file, read without SQLite: opening it with SQLite would replay a WAL or journal beside it. */
export type FileState = {
  readonly size: number;
  readonly inode: number;
  /** The creation time in milliseconds; 0 if the file system does not record it. */
  readonly born: number;
  readonly mark: number;
  /** Sizes of the files `-wal` and `-journal` in bytes; 0 if missing. */
  readonly wal: number;
  readonly journal: number;
};

/** `new`: empty. `same`: as the last server left it. `copy`: an earlier state, or from elsewhere. */
export type Arrival = 'new' | 'same' | 'copy';

/** The offset of SQLite's user version in the header, which holds the mark. */
const markOffset = 60;

export function findFile(path: string): FileState {
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

/** Throws a StartError if a journal or WAL beside the file does not belong to it. */
export function arrivalOf(found: FileState, note: RunNote | undefined, path: string): Arrival {
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
  // A known mark in another file: the whole folder was copied, with the lock file and the WAL.
  if (known) return note === undefined || isSameFile(found, note) ? 'same' : 'copy';
  if (wal > 0 && (note !== undefined || mark === copyMark)) {
    throw new StartError(
      `${path} was replaced, but ${path}-wal belongs to the previous file: delete ${path}-wal and ${path}-shm. ` +
        `If the -wal was copied together with the database, delete ${path}-lock instead.`,
    );
  }
  return 'copy';
}

/** Compares the creation time too, because ext4 reuses the inode of a deleted file. Values that the note lacks are not compared. */
function isSameFile({ inode, born }: FileState, note: RunNote): boolean {
  return (note.inode ?? inode) === inode && (note.born ?? born) === born;
}

/** Random, so that it is unlikely to repeat. Never 0, which means no mark, and never `copyMark`. */
export function newMark(): number {
  const mark = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
  return mark === 0 || mark === copyMark ? newMark() : mark;
}

export function putMark(db: Database, mark: number): void {
  db.run(`pragma user_version = ${mark}`);
}
