/** Commits batches, publishes them in memory, then answers, in this order. Runs on the writing thread. */
import type { Database } from 'bun:sqlite';
import type { UnservedReference } from '../../../declarations/plan.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { type Identity, type Seen, watchOpen } from '../file/watch.ts';
import { type CommitProgress, Roots } from '../memory/atomics.ts';
import { lastChangeIn } from '../statements/collection-sql.ts';
import { RecordsInMemory } from './memory/records-in-memory.ts';
import type { Applied } from './thread/outcome.ts';
import type { Write } from './thread/write-message.ts';
import { openWriter, type Writer } from './writer.ts';

/** The reply to a batch, with the state of the files after it. */
export type CommitReply = (Applied & Seen) | { readonly error: string };

export type CommitterOptions = {
  readonly filename: string;
  /** The identity of the open files. */
  readonly opened: Identity;
  /** References from collections that are not served. */
  readonly unserved: readonly UnservedReference[];
  /** Limit of all records in memory together, in bytes. */
  readonly cacheBytes: number;
  /** The roots of this run of the writing thread. */
  readonly roots: SharedArrayBuffer;
};

export class Committer {
  readonly records: RecordsInMemory;
  readonly #writer: Writer;
  readonly #look: () => Seen;
  #seen: Seen;

  constructor(
    readonly db: Database,
    collections: readonly Collection[],
    readonly progress: CommitProgress,
    { filename, opened, unserved, cacheBytes, roots }: CommitterOptions,
  ) {
    this.#writer = openWriter(db, collections, { unserved });
    this.records = new RecordsInMemory(db, collections, cacheBytes, progress, new Roots(roots));
    this.records.memory.lastChange = lastChangeIn(db);
    progress.end(this.records.memory.lastChange);
    this.#look = watchOpen(db, filename, opened);
    this.#seen = this.#look();
    this.records.fill();
  }

  commit(writes: readonly Write[]): CommitReply {
    const stored = this.store(writes);
    return 'error' in stored ? this.#inDoubt(stored) : this.show(writes, stored);
  }

  /** Commits to the file only: memory does not have the batch yet. */
  store(writes: readonly Write[]): CommitReply {
    try {
      if (this.#seen.lost !== undefined) this.#seen = this.#look();
      const { lost } = this.#seen;
      if (lost !== undefined) return { ...this.#writer.refuse(writes, lost), ...this.#seen };
      this.progress.begin();
      const applied = this.#writer.apply(writes);
      // Checked after the commit: if the file is still in place, the next start finds the commit.
      this.#seen = this.#look();
      return { ...applied, ...this.#seen };
    } catch (error) {
      return { error: String(error) };
    }
  }

  /** Publishes the batch in memory. If it throws, memory is half changed: the thread ends, and the next run starts with a new memory. */
  show(writes: readonly Write[], stored: Applied & Seen): CommitReply {
    this.records.apply(writes, stored, this.#writer.effects);
    this.progress.end(stored.lastChange, stored.walBytes);
    return stored;
  }

  /** Ensures that the next start does not replay a failed commit, unless the disk still fails. */
  close(): void {
    try {
      this.#writer.settle();
    } catch {
      // The writes of that commit were answered with `outcome_unknown`.
    }
    this.records.close();
    this.#writer.close();
    this.db.close(true);
  }

  /** The error may have occurred after the commit: all records are read again. */
  #inDoubt(reply: { readonly error: string }): CommitReply {
    let last = this.progress.lastChange;
    try {
      last = lastChangeIn(this.db);
    } catch {
      // No read of an unreadable file succeeds, so no read has to wait.
    }
    this.records.startOver(last);
    this.progress.end(last);
    return reply;
  }
}
