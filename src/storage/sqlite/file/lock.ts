/** The lock that allows one server per database file. It also stores a note about the last run. */
import type { Database } from 'bun:sqlite';
import { closeSync, constants, openSync } from 'node:fs';
import { StartError } from '../../../domain/errors.ts';
import { openDatabase } from './database.ts';

/** Written by the server that last had the file open. */
export type RunNote = {
  /** Marks that the file may have: that of the run and, until that is certainly in the file, the previous one. */
  readonly marks: readonly number[];
  /** The start is not finished: a journal beside the file is the server's own. */
  readonly opening: boolean;
  /** The id of the database, the same in all its copies. */
  readonly lineage: string;
  /** The highest number assigned; undefined during a run, and after a run that was killed. */
  readonly lastNumber: number | undefined;
  /** The highest number assigned when the run began, so that a second restore continues after the first. */
  readonly reached: number;
  /** The inode of the database file, which differs if the folder was copied together with this note; undefined in notes of 0.5.0. */
  readonly inode?: number;
  /** The creation time of that file in milliseconds; undefined in notes of earlier builds. */
  readonly born?: number;
};

export type Held = { readonly note: RunNote | undefined; write(note: RunNote): void; release(): void };

/**
 * Locks a small database beside the data, so that any SQL client can still open the data itself. The operating system
 * releases the lock when the process ends, however it ends. The lock file is never deleted: otherwise two servers could
 * lock two different files of the same name.
 */
export function lock(path: string): Held | 'taken' {
  const file = `${path}-lock`;
  // A link is not followed: the file beside a backup may come from elsewhere, too.
  closeSync(openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  const db = openDatabase(file);
  try {
    // In this mode the lock is held from the first transaction until the connection is closed.
    db.run('pragma locking_mode = exclusive');
    db.run('begin exclusive');
    db.run('create table if not exists note (text text not null) strict');
    db.run('commit');
    requireNoteOnly(db);
    using found = db.prepare<{ text: string }, []>('select text from note');
    const text = found.get()?.text;
    return {
      note: text === undefined ? undefined : (JSON.parse(text) as RunNote),
      write: db.transaction((note: RunNote) => {
        db.run('delete from note');
        db.run('insert into note values (?)', [JSON.stringify(note)]);
      }),
      release: () => db.close(),
    };
  } catch (error) {
    db.close();
    const { code, message } = error as { code?: string; message: string };
    if (code === 'SQLITE_BUSY') return 'taken';
    throw new StartError(
      `Cannot lock ${file} (${message}): the name is reserved for Shelf; delete the file if Shelf did not create it.`,
    );
  }
}

/** A trigger could write another note. */
function requireNoteOnly(db: Database): void {
  using others = db.prepare<{ type: string; name: string }, []>(
    "select type, name from sqlite_schema where type <> 'table' or name <> 'note'",
  );
  const other = others.get();
  if (other !== null) throw new Error(`it has the ${other.type} ${JSON.stringify(other.name)}`);
}
