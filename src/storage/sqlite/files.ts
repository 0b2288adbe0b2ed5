/** The files of a database as they stand under their names, which may not be the ones that are open any more. */
import { type Stats, statSync } from 'node:fs';

export type Seen = {
  /** What SQLite's log takes on the disk. */
  readonly walBytes: number;
  /** Says which file is gone: what is written to it from then on is found by nobody. */
  readonly lost: string | undefined;
};

/** Of a database that is open in this process, so that its log is there too. Answers a function that looks. */
export function watchFiles(filename: string): () => Seen {
  // A database in memory has no files.
  if (filename.startsWith('file:')) return () => ({ walBytes: 0, lost: undefined });
  const paths = [filename, `${filename}-wal`];
  const opened = paths.map(fileAt);
  return () => {
    const found = paths.map(fileAt);
    const lost = paths.find((_, index) => !isSame(found[index], opened[index]));
    return {
      walBytes: found[1]?.size ?? 0,
      lost:
        lost === undefined
          ? undefined
          : `${lost} was removed or replaced while it was served: writes are refused until it is back or Shelf is restarted`,
    };
  };
}

function fileAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isSame(found: Stats | undefined, opened: Stats | undefined): boolean {
  return found?.ino === opened?.ino && found?.dev === opened?.dev;
}
