/** The embedded engine, as a serving thread uses it: reads from memory or SQLite on this thread, searches and writes on threads of their own. */
import type { Database } from 'bun:sqlite';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { Collection } from '../../domain/record/collection.ts';
import type { SpoolLimits } from '../bulk/spool-limits.ts';
import type { CommitObserver } from '../commit-queue.ts';
import type { EngineStore } from '../engine-store.ts';
import { type AdminOptions, SqliteAdmin } from './admin.ts';
import { SqliteFeed } from './feed.ts';
import type { Identity } from './file/watch.ts';
import { HotReads } from './hot-reads.ts';
import { FileReads } from './reads/file-reads.ts';
import { SqliteReads } from './reads.ts';
import { Tables } from './tables.ts';
import { WriteQueue } from './write-queue.ts';
import type { WriterClient } from './writer/thread/connection.ts';
import { SqliteWrites } from './writes.ts';

export type SqliteOptions = AdminOptions & {
  /** Beyond this size of the WAL, lists release their snapshots and long searches leave gaps. */
  readonly walBytes: number;
  readonly spoolLimits: SpoolLimits;
  /** The time limit of one search, in milliseconds. */
  readonly searchMs: number;
  /** Shared with the other threads that search and parse; absent if there are none. */
  readonly longWork?: SharedArrayBuffer | undefined;
  /** Starts the searching thread with the first search. */
  readonly searchWhenNeeded?: boolean | undefined;
  readonly onCommit: CommitObserver | undefined;
  /** Called once when the file is damaged, and each time it is removed or replaced. */
  readonly onTrouble: ((message: string) => void) | undefined;
  /** The identity of the open files. */
  readonly opened: Identity;
};

export function sqliteStore(
  filename: string,
  db: Database,
  collections: readonly Collection[],
  writer: WriterClient,
  options: SqliteOptions,
) {
  const { progress, spoolLimits } = options;
  // Spool files are beside the database: its disk needs room for the incoming records anyway.
  const spoolFolder = filename.startsWith('file:') ? tmpdir() : dirname(filename);
  const file = new FileReads({ ...options, filename, db, folder: spoolFolder, onReturn: () => feed.wake() });
  const hot = new HotReads(file, progress);
  const tables = new Tables(db, collections);
  writer.onMemory = (memory) => tables.readFrom(memory);
  const queue = new WriteQueue(writer, file, options.onCommit);
  const reads = new SqliteReads(db, tables, file, hot);
  const writes = new SqliteWrites({ tables, queue, spoolFolder, spoolLimits, reads });
  const feed = new SqliteFeed({ db, collections, file, queue, progress });
  const shared = { filename, db, writer, queue, file, hot, tables, reads, feed };
  return { reads, writes, feed, admin: new SqliteAdmin(shared, options) } satisfies EngineStore;
}
