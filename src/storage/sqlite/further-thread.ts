/** The embedded engine on one more serving thread: the same file and the same memory, and a connection to the same writing thread. */
import type { Collection } from '../../domain/record/collection.ts';
import type { EngineStore } from '../engine-store.ts';
import { type Identity, requireSame } from './file/watch.ts';
import { CommitProgress } from './memory/atomics.ts';
import { connect } from './statements/connection.ts';
import { type SqliteOptions, sqliteStore } from './store.ts';
import { WriterConnection } from './writer/thread/connection.ts';

/** What it needs from the thread that opened the file; it can be posted. */
export type SharedFile = {
  readonly filename: string;
  readonly opened: Identity;
  readonly progress: SharedArrayBuffer;
  readonly walBytes: number;
};

export type SharedOptions = Pick<
  SqliteOptions,
  'spoolLimits' | 'searchMs' | 'longWork' | 'onCommit' | 'onTrouble' | 'tickets'
>;

/** `writer` gets the ports that the first thread sends. */
export function openShared(
  { filename, opened, progress: words, walBytes }: SharedFile,
  collections: readonly Collection[],
  options: SharedOptions,
): { readonly store: EngineStore; readonly writer: WriterConnection } {
  requireSame(filename, opened);
  const progress = new CommitProgress(words);
  const writer = new WriterConnection(progress);
  const db = connect(filename);
  const store = sqliteStore(filename, db, collections, writer, {
    ...options,
    progress,
    walBytes,
    opened,
    searchWhenNeeded: true,
    isNew: false,
    unserved: [],
    sharing: undefined,
    closeWriter: async () => {},
    end: () => db.close(true),
  });
  return { store, writer };
}
