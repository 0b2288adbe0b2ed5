/** The files of a database as they stand under their names, which may not be the ones that are open any more. */
import { constants, type Database } from 'bun:sqlite';
import { closeSync, openSync, type Stats, statSync } from 'node:fs';

export type Seen = {
  /** What SQLite's log takes on the disk. */
  readonly walBytes: number;
  /** Says which file is gone: what is written to it from then on is found by nobody. */
  readonly lost: string | undefined;
};

/** Makes an empty file that only its owner can read, whatever the umask; one that exists stays as it is. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a+', 0o600));
}

/** What tells a file from any other, whatever its name: device and inode, of the database and of its log. */
export type Identity = readonly string[];

const pathsOf = (filename: string) => [filename, `${filename}-wal`];

/** Of a database that is open in this process, so that its log is there too. One in memory has no files. */
export function identify(filename: string): Identity {
  return filename.startsWith('file:') ? [] : pathsOf(filename).map((path) => identityOf(fileAt(path)));
}

/** Answers a function that looks whether the files under these names are still the ones that were opened. */
export function watchFiles(filename: string, opened: Identity): () => Seen {
  if (opened.length === 0) return () => ({ walBytes: 0, lost: undefined });
  const paths = pathsOf(filename);
  return () => {
    const found = paths.map(fileAt);
    const lost = paths.find((_, index) => identityOf(found[index]) !== opened[index]);
    return {
      walBytes: found[1]?.size ?? 0,
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

/** For a thread that opens the files later than its server: throws where they are others by then. */
export function requireSame(filename: string, opened: Identity): void {
  const { lost } = watchFiles(filename, opened)();
  if (lost !== undefined) throw new Error(lost);
}

function fileAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function identityOf(found: Stats | undefined): string {
  return `${found?.dev}:${found?.ino}`;
}
