/** One server per database file, and a note beside the file of the run that had it last. */
import { Database } from 'bun:sqlite';
import { StartError } from '../../../domain/errors.ts';
import { makePrivate } from './watch.ts';

/** What the server that had the file last has noted. */
export type RunNote = {
  /** Marks that the file may bear: that of its run and, until that one is sure to be in the file, the one before. */
  readonly marks: readonly number[];
  /** The file was being opened: a journal beside it is the server's own. */
  readonly opening: boolean;
  /** Which database it was, whoever has copied it since. */
  readonly lineage: string;
  /** The highest number that was given out; undefined while a run goes on, and after one that was killed. */
  readonly lastNumber: number | undefined;
  /** The highest number that was given out when the run began: a second restore begins behind the first. */
  readonly reached: number;
  /** Of the database file: a folder that was copied with this note in it has another one. */
  readonly inode: number;
  /** The creation time of that file in milliseconds; undefined in notes of earlier builds. */
  readonly born?: number;
};

export type Held = { readonly note: RunNote | undefined; write(note: RunNote): void; release(): void };

/**
 * Holds an exclusive lock on a small database beside the data, so that the data itself stays open to any SQL client. The
 * operating system drops the lock with the process, however it ends; the file stays, because deleting it would let two
 * servers lock two different files of the same name.
 */
export function lock(path: string): Held | 'taken' {
  const file = `${path}-lock`;
  makePrivate(file);
  const db = new Database(file);
  try {
    // The lock is kept from the first transaction on until the connection is closed.
    db.run('pragma locking_mode = exclusive');
    db.run('begin exclusive');
    db.run('create table if not exists note (text text not null) strict');
    db.run('commit');
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
      `Cannot lock ${file} (${message}): it is a file of Shelf's own; delete it if it is anything else.`,
    );
  }
}
