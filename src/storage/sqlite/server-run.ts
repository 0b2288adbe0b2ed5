/** One run of a server over a database file: from the check of the file at the start to a clean stop. */
import type { Database } from 'bun:sqlite';
import { rmSync } from 'node:fs';
import type { Evolution } from '../../declarations/refusal.ts';
import { StartError } from '../../domain/errors.ts';
import { highestNumber } from '../../domain/feed/feed-history.ts';
import { type Collection, targetsFirst } from '../../domain/record/collection.ts';
import { firstRecordError } from '../../domain/store/constraint-clash.ts';
import { isFull } from './errors.ts';
import { arrivalOf, findFile, newMark, putMark } from './file/copy-mark.ts';
import { openDatabase } from './file/database.ts';
import { beginEpoch, lastNumberIn, lineageIn, requireRoom } from './file/epoch.ts';
import type { Held, RunNote } from './file/lock.ts';
import { isEmpty, migrate } from './schema/schema.ts';
import { connect } from './statements/connection.ts';
import { isClashed } from './writer/thread/outcome.ts';
import { openWriter } from './writer/writer.ts';

export type Run = {
  readonly db: Database;
  /** The database was empty. */
  readonly isNew: boolean;
  /** Closes the connection, which must be the last one, and releases the lock on the file. */
  end(last: Database): void;
};

/** `path` is as the operator gave it, for messages. */
export function beginRun(
  filename: string,
  collections: readonly Collection[],
  held: Held,
  path: string,
  evolution: Evolution,
): Run {
  const { note } = held;
  if (note?.opening === true) rollBackJournal(filename);
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
  // A copy is migrated without a WAL: after an interruption it is still a copy, or it already has its new numbers.
  if (arrival === 'copy') {
    using plain = connect(filename, 'delete');
    plain.transaction(() => {
      bring(plain, collections, path, evolution, (lineage) => {
        const lost = note?.lineage === lineage ? note.lastNumber : undefined;
        // Also after another database in this place, such as an import: its clients come to the same address.
        beginEpoch(plain, lost, note?.reached ?? 0);
      });
      putMark(plain, mark);
    })();
  }
  const db = connect(filename);
  try {
    const isNew = isEmpty(db);
    if (arrival !== 'copy') db.transaction(() => bring(db, collections, path, evolution)).immediate();
    const { inode, born } = found;
    const note = { opening: false, lineage: lineageIn(db), inode, born, reached: lastNumberIn(db) };
    const marks = leaveMark(db, held, note, before, mark, path);
    return { db, isNew, end: (last) => endRun(last, filename, held, note, marks) };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Migrates the schema and adds the first records of new collections; runs inside one transaction. */
export function bring(
  db: Database,
  collections: readonly Collection[],
  path: string,
  evolution: Evolution,
  renumber: (lineage: string) => void = () => {},
): void {
  const fresh = migrate(db, collections, path, evolution);
  requireRoom(db, path, 2 * highestNumber);
  renumber(lineageIn(db));
  const ordered = targetsFirst(fresh);
  const writer = openWriter(db, ordered);
  for (const [place, { name, encode, first }] of ordered.entries()) {
    if (first === undefined) continue;
    const create = { op: 'create', place, by: undefined, once: undefined, json: encode(first) } as const;
    const [outcome = 'missing'] = writer.apply([create]).outcomes;
    if (isClashed(outcome)) throw firstRecordError(name, outcome.clashes);
    if (typeof outcome !== 'number') throw new Error(`cannot store the first record: ${JSON.stringify(outcome)}`);
  }
  writer.close();
}

/** After an interrupted start: SQLite rolls back the unfinished transaction. */
function rollBackJournal(filename: string): void {
  const db = openDatabase(filename);
  db.run('pragma busy_timeout = 5000');
  db.run('select count(*) from sqlite_schema');
  db.close(true);
  // SQLite does not delete a journal that contains nothing to roll back yet.
  rmSync(`${filename}-journal`, { force: true });
}

type RunFacts = Pick<RunNote, 'opening' | 'lineage' | 'inode' | 'born' | 'reached'>;

/**
 * Returns the marks that the file may have from now on. If the disk is full the file keeps its old mark, and the server
 * still starts. The `lastNumber` of the previous run must be cleared before this run assigns a number.
 */
function leaveMark(
  db: Database,
  held: Held,
  facts: RunFacts,
  before: readonly number[],
  mark: number,
  path: string,
): readonly number[] {
  const either = [...before, mark];
  const note = { ...facts, lastNumber: undefined };
  held.write({ ...note, marks: either });
  try {
    putMark(db, mark);
    // Commits in the WAL may never have been synced: they are not trusted until they are in the database file.
    using checkpoint = db.prepare<{ busy: number }, []>('pragma wal_checkpoint(truncate)');
    // Busy: another program is reading the file, so part of the WAL cannot be checkpointed.
    if (checkpoint.get()?.busy !== 0) return either;
    held.write({ ...note, marks: [mark] });
    return [mark];
  } catch (error) {
    if (isFull(error)) return either;
    throw new StartError(`Cannot write to ${path} (${(error as Error).message}): check the disk and the permissions.`);
  }
}

/** Sets a new mark, so that a copy made during the run is recognized as a copy. */
function endRun(db: Database, filename: string, held: Held, facts: RunFacts, marks: readonly number[]): void {
  const mark = newMark();
  try {
    const note = { ...facts, lastNumber: lastNumberIn(db) };
    held.write({ ...note, marks: [...marks, mark], lastNumber: undefined });
    putMark(db, mark);
    db.close(true);
    if (findFile(filename).mark === mark) held.write({ ...note, marks: [mark] });
  } catch {
    // If the disk fails the marks of this run stay, and they still identify the file.
    db.close();
  }
  held.release();
}
