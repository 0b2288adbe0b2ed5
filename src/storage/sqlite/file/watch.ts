/** Detects that the database file or its WAL was removed or replaced while it is open. */
import { constants, type Database } from 'bun:sqlite';
import { closeSync, openSync, type Stats, statSync } from 'node:fs';

export type Seen = {
  /** The size of the WAL on disk. */
  readonly walBytes: number;
  /** Names the file that was removed or replaced: writes to it would be lost. For logs; undefined if all is well. */
  readonly lost: string | undefined;
};

/** Creates an empty file with mode 600, whatever the umask; an existing file is left unchanged. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a+', 0o600));
}

/** Device and inode of the database file and of its WAL. Empty for a database in memory. */
export type Identity = readonly string[];

const pathsOf = (filename: string) => [filename, `${filename}-wal`];

/** The database must be open in this process, so that its WAL exists. */
export function identify(filename: string): Identity {
  return filename.startsWith('file:') ? [] : pathsOf(filename).map((path) => identityOf(fileAt(path)));
}

/** Returns a function that checks whether the files at these paths are still the ones that were opened. */
export function watchFiles(filename: string, opened: Identity): () => Seen {
  if (opened.length === 0) return () => ({ walBytes: 0, lost: undefined });
  const paths = pathsOf(filename);
  return () => {
    const stats = paths.map(fileAt);
    const lost = paths.find((_, index) => identityOf(stats[index]) !== opened[index]);
    return {
      walBytes: stats[1]?.size ?? 0,
      lost:
        lost === undefined
          ? undefined
          : `${lost} was removed or replaced while it was served: writes are refused until it is back or Shelf is restarted`,
    };
  };
}

/** In milliseconds. Two stat calls cost as much as a few writes, so the result is reused for this long. */
const lookMs = 10;

/**
 * Like `watchFiles`, but cheap enough to call after each commit. SQLite's HAS_MOVED detects at once that the database file
 * was removed or replaced; a removed `-wal` is detected within `lookMs`.
 */
export function watchOpen(db: Database, filename: string, opened: Identity): () => Seen {
  const look = watchFiles(filename, opened);
  // SQLite writes a 32-bit integer; Bun requires a buffer of at least 8 bytes.
  const moved = new Int32Array(2);
  let seen = look();
  let lookedAt = performance.now();
  return () => {
    if (opened.length > 0) db.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, moved);
    const now = performance.now();
    if (moved[0] === 0 && seen.lost === undefined && now - lookedAt < lookMs) return seen;
    lookedAt = now;
    seen = look();
    return seen;
  };
}

/** For a thread that opens the files after the server did: throws if they were removed or replaced since. */
export function requireSame(filename: string, opened: Identity): void {
  const { lost } = watchFiles(filename, opened)();
  if (lost !== undefined) throw new Error(lost);
}

function fileAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function identityOf(stats: Stats | undefined): string {
  return `${stats?.dev}:${stats?.ino}`;
}
