/** One run of a server over a database file, from the judgement of what lies there to a stop that leaves it sound. */
import { Database } from 'bun:sqlite';
import { rmSync } from 'node:fs';
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import { connect } from './connection.ts';
import { isFull } from './errors.ts';
import { beginEpoch, lastNumberIn, lineageIn } from './file/epoch.ts';
import { arrivalOf, findFile, newMark, putMark } from './file/lineage.ts';
import type { Held, RunNote } from './file/lock.ts';
import { isEmpty, migrate } from './schema.ts';
import { appendLine } from './writer/write-line.ts';
import { openWriter } from './writer/writer.ts';

export type Run = {
  readonly db: Database;
  /** There was nothing in the database. */
  readonly isNew: boolean;
  /** Closes the connection, which must be the last one, and lets go of the file. */
  end(): void;
};

/** `path` is as the operator gave it. */
export function beginRun(filename: string, collections: readonly Collection[], held: Held, path: string): Run {
  const { note } = held;
  if (note?.opening === true) takeBackJournal(filename);
  const found = findFile(filename);
  const arrival = arrivalOf(found, note, path);
  const mark = newMark();
  const before = arrival === 'copy' ? [] : [found.mark];
  if (arrival !== 'same') {
    held.write({
      lineage: '',
      lastNumber: undefined,
      reached: 0,
      ...note,
      marks: [...before, mark],
      opening: true,
      inode: found.inode,
      born: found.born,
    });
  }
  // A copy is brought in without a log: however that is interrupted, it is still a copy or has numbers of its own.
  if (arrival === 'copy') {
    using plain = connect(filename, 'delete');
    plain.transaction(() => {
      bring(plain, collections, path, (lineage) => {
        const tables = collections.map(({ name }) => name);
        const known = note?.lineage === lineage ? note : undefined;
        beginEpoch(plain, tables, known?.lastNumber, known?.reached ?? 0);
      });
      putMark(plain, mark);
    })();
  }
  const db = connect(filename);
  try {
    const isNew = isEmpty(db);
    if (arrival !== 'copy') db.transaction(() => bring(db, collections, path)).immediate();
    const { inode, born } = found;
    const note = { opening: false, lineage: lineageIn(db), inode, born, reached: lastNumberIn(db) };
    const marks = leaveMark(db, held, note, before, mark, path);
    return { db, isNew, end: () => endRun(db, filename, held, note, marks) };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The shape of this version, and the first records of new collections; inside one transaction. */
export function bring(
  db: Database,
  collections: readonly Collection[],
  path: string,
  renumber: (lineage: string) => void = () => {},
): void {
  const fresh = migrate(db, collections, path);
  renumber(lineageIn(db));
  const writer = openWriter(db, fresh);
  const { outcomes } = writer.apply(fresh.map(({ encode, first }, place) => appendLine(place, encode(first))));
  writer.close();
  const failed = outcomes.find((outcome) => typeof outcome !== 'number');
  if (failed !== undefined) throw new Error(`the first records cannot be stored: ${JSON.stringify(failed)}`);
}

/** A start that was interrupted: SQLite takes back what was half done. */
function takeBackJournal(filename: string): void {
  const db = new Database(filename);
  db.run('pragma busy_timeout = 5000');
  db.run('select count(*) from sqlite_schema');
  db.close(true);
  // One that had not come to anything yet is left lying by SQLite.
  rmSync(`${filename}-journal`, { force: true });
}

type Noted = Pick<RunNote, 'opening' | 'lineage' | 'inode' | 'born' | 'reached'>;

/**
 * Answers the marks that the file may bear from now on. A disk that is full leaves it its old one, and is no reason not to
 * serve; but what the last run has noted must be gone before this one gives out a number.
 */
function leaveMark(
  db: Database,
  held: Held,
  noted: Noted,
  before: readonly number[],
  mark: number,
  path: string,
): readonly number[] {
  const either = [...before, mark];
  const note = { ...noted, lastNumber: undefined };
  held.write({ ...note, marks: either });
  try {
    putMark(db, mark);
    // What a start finds in the log may never have been synced: it is not trusted before it is in the file.
    using checkpoint = db.prepare<{ busy: number }, []>('pragma wal_checkpoint(truncate)');
    // Another program that reads the file just now keeps some of the log out of it.
    if (checkpoint.get()?.busy !== 0) return either;
    held.write({ ...note, marks: [mark] });
    return [mark];
  } catch (error) {
    if (isFull(error)) return either;
    throw new StartError(`Cannot write to ${path} (${(error as Error).message}): check the disk and its rights.`);
  }
}

/** Under another mark, so that a copy that was made while the server ran is known for one. */
function endRun(db: Database, filename: string, held: Held, noted: Noted, marks: readonly number[]): void {
  const mark = newMark();
  try {
    const note = { ...noted, lastNumber: lastNumberIn(db) };
    held.write({ ...note, marks: [...marks, mark], lastNumber: undefined });
    putMark(db, mark);
    db.close(true);
    if (findFile(filename).mark === mark) held.write({ ...note, marks: [mark] });
  } catch {
    // A disk that fails leaves the marks of this run, which still tell its file from any other.
    db.close();
  }
  held.release();
}
