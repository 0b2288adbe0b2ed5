/**
 * Reads from the file: on the serving thread, on the searching thread, or as a long list. The file is ahead of memory while a commit is
 * visible in it but not yet in memory; an answer from the file waits until it is.
 */
import type { Database, Statement } from 'bun:sqlite';
import type { Bytes } from '../../../domain/bytes.ts';
import { Failure } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Soon } from '../../../domain/soon.ts';
import type { Client, Requester } from '../../../domain/store/client.ts';
import type { Listing } from '../../../domain/store/listing.ts';
import type { Trace } from '../../../domain/trace.ts';
import { LongList } from '../../bulk/long-list.ts';
import type { SpoolLimits } from '../../bulk/spool-limits.ts';
import { isDamage } from '../errors.ts';
import { type Identity, type Seen, watchFiles } from '../file/watch.ts';
import type { CommitProgress } from '../memory/atomics.ts';
import { SearchClient } from '../search/client.ts';
import type { Search } from '../search/search.ts';
import type { Row } from '../search/slices.ts';
import type { InSnapshot } from '../search/snapshot.ts';
import type { SummarySearch } from '../search/summary.ts';
import type { SearchResult, SummaryResult } from '../search/thread.ts';
import { lastChangeStatement } from '../statements/collection-sql.ts';
import { FileList } from './file-list.ts';

export type FileReadsOptions = {
  readonly filename: string;
  readonly db: Database;
  readonly progress: CommitProgress;
  /** The identity of the open files. */
  readonly opened: Identity;
  /** For the spool files of lists. */
  readonly folder: string;
  /** Limits the number of lists and the size of their spool files. */
  readonly spoolLimits: SpoolLimits;
  /** Beyond this size of the WAL, lists release their snapshots. */
  readonly walBytes: number;
  readonly onTrouble: ((message: string) => void) | undefined;
  /** The time limit of one search, in milliseconds. */
  readonly searchMs: number;
  /** Shared with the other threads that search and parse. */
  readonly longWork?: SharedArrayBuffer | undefined;
  /** Starts the searching thread with the first search. */
  readonly searchWhenNeeded?: boolean | undefined;
  /** Called when searches work again after their thread had ended. */
  onReturn(): void;
};

export class FileReads {
  readonly #queries: SearchClient;
  readonly #lists = new Set<Pick<FileList, 'setAside'>>();
  readonly #newest: Statement<{ seq: number }, []>;
  /** Checks the files at their paths. */
  readonly look: () => Seen;
  #damage: string | undefined;
  #lost: string | undefined;
  #isWatching = false;

  constructor(readonly options: FileReadsOptions) {
    this.#queries = new SearchClient(options);
    this.#newest = options.db.prepare(lastChangeStatement);
    this.look = watchFiles(options.filename, options.opened);
  }

  get isInMemory(): boolean {
    return this.options.filename.startsWith('file:');
  }

  /** Rejects when the searching thread cannot start. */
  get ready(): Promise<void> {
    return this.#queries.ready;
  }

  /** Searches in flight. */
  get waiting(): number {
    return this.#queries.waiting;
  }

  /** SQLite's error if any thread has found the file damaged; undefined otherwise. */
  get damage(): string | undefined {
    return this.#damage ?? (this.options.progress.isDamaged ? 'another thread has found it' : undefined);
  }

  isDamaged(cause: string): void {
    if (this.options.progress.foundDamage()) {
      this.options.onTrouble?.(`The database is damaged (${cause}): writes are refused; restore a backup.`);
    }
    this.#damage ??= cause;
  }

  /** Takes the state of the files that the writing thread found after a commit, and reports a lost file once. */
  noticed({ lost }: Seen): void {
    if (lost !== undefined && lost !== this.#lost) this.options.onTrouble?.(`${lost}.`);
    this.#lost = lost;
  }

  /** Calls `onSettled` and returns at once, unless the result may include a change that memory does not have yet. */
  read<Value>(read: () => Value, onSettled: (value: Value) => void = () => {}): Soon<Value> {
    const { progress } = this.options;
    const before = progress.commits;
    const value = this.#noticingDamage(read);
    if (before % 2 !== 0 || progress.commits !== before) {
      // This change number is read after the value, so the value includes no later change.
      const followed = progress.reached(this.#noticingDamage(() => this.#newest.get()?.seq ?? 0));
      if (followed !== undefined) return followed.then(() => value);
    }
    onSettled(value);
    return value;
  }

  /**
   * Reads from the file, and passes the result to `inMemory`. Returns undefined unless file and memory have the same changes: while a commit is
   * in flight, `inMemory` gets the last change of the result, and compares it with that of the root.
   */
  readWithMemory<Value, Made>(
    read: () => Value,
    inMemory: (value: Value, lastChange?: number) => Made | undefined,
  ): Made | undefined {
    const { progress } = this.options;
    const before = progress.commits;
    if (before % 2 === 0) {
      const made = inMemory(this.#noticingDamage(read));
      return progress.commits === before ? made : undefined;
    }
    const { value, lastChange } = this.#inSnapshot(read);
    return inMemory(value, lastChange);
  }

  /** Runs on the searching thread. Rejects with `timed_out`, `overloaded` or `not_ready`. */
  search(search: Search, requester?: Requester, snapshot?: InSnapshot): Promise<SearchResult> {
    return this.#settled(this.#queries.ask(search, requester, snapshot), requester?.trace);
  }

  /** Runs like `search`, and rejects with `invalid_query` beyond the bounds of a summary. */
  summary(search: SummarySearch, requester?: Requester): Promise<SummaryResult> {
    return this.#settled(this.#queries.summary(search, requester), requester?.trace);
  }

  /** The parts that `read` makes of searches in one snapshot. */
  async *inSnapshot(
    client: Client,
    read: (snapshotAt: (isFirst: boolean) => InSnapshot) => AsyncGenerator<Bytes, void>,
  ): AsyncGenerator<Bytes, void> {
    const { folder, spoolLimits } = this.options;
    const leave = spoolLimits.enter('list', client);
    const number = this.#queries.newSnapshot();
    const list = new LongList(
      releasing(
        read((isFirst) => ({ number, isFirst })),
        () => this.#queries.release(number),
      ),
      folder,
      spoolLimits.of(client),
    );
    this.#lists.add(list);
    this.#watchLog();
    try {
      for (let part = await list.next(); part !== undefined; part = await list.next()) yield part;
    } finally {
      this.#lists.delete(list);
      await list.close().finally(leave);
    }
  }

  /**
   * For a database in memory. There the writer waits for every snapshot, and every new read for the writer: a snapshot that waits for its reader
   * would stop them all. So the rows of the whole list are read in one search.
   */
  async *inOneSearch(
    search: Search,
    requester: Requester,
    partsOf: (rows: readonly Row[]) => Iterable<Bytes>,
  ): AsyncGenerator<Bytes, void> {
    const leave = this.options.spoolLimits.enter('list', requester.client);
    try {
      const { rows } = await this.search(search, requester);
      yield* partsOf(rows);
    } finally {
      leave();
    }
  }

  list(collection: Collection): Listing {
    return { tag: undefined, size: undefined, parts: (client) => this.#parts(collection, client) };
  }

  /** Throws if the file is damaged, was removed or replaced, or cannot be searched. */
  check(): void {
    const { damage } = this;
    if (damage !== undefined) throw damaged(damage);
    this.#requireFiles();
    using alive = this.options.db.prepare('select version from schema_version');
    this.#noticingDamage(() => alive.get());
    this.#queries.check();
  }

  close(): Promise<void> {
    this.#newest.finalize();
    return this.#queries.close();
  }

  /** Waits until memory has what the searching thread has found. */
  async #settled<Found extends { readonly lastChange: number }>(asked: Promise<Found>, trace?: Trace): Promise<Found> {
    const start = trace?.isRecorded ? performance.now() : 0;
    try {
      const found = await asked;
      await this.options.progress.reached(found.lastChange);
      return found;
    } catch (error) {
      throw this.#errorFor(error);
    } finally {
      if (trace?.isRecorded) trace.took('database', start, performance.now());
    }
  }

  async *#parts(collection: Collection, client: Client): AsyncGenerator<Bytes, void> {
    const { filename, folder, spoolLimits } = this.options;
    // The list opens the path again, where the file may be replaced or gone by now.
    this.#requireFiles();
    const leave = spoolLimits.enter('list', client);
    let list: FileList | undefined;
    try {
      list = this.#noticingDamage(() => new FileList(filename, collection, folder, spoolLimits.of(client)));
      this.#lists.add(list);
      this.#watchLog();
      await this.options.progress.reached(list.lastChange);
      for (let part = await list.next(); part !== undefined; part = await list.next()) yield part;
    } catch (error) {
      throw this.#errorFor(error);
    } finally {
      if (list !== undefined) this.#lists.delete(list);
      try {
        await list?.close();
      } finally {
        leave();
      }
    }
  }

  /** Runs while there are lists: makes them release their snapshots when the WAL has grown large. */
  async #watchLog(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { progress, walBytes } = this.options;
    while (this.#lists.size > 0) {
      const { commits } = progress;
      if (progress.walBytes > walBytes) for (const list of this.#lists) list.setAside();
      await progress.after(commits);
    }
    this.#isWatching = false;
  }

  #inSnapshot<Value>(read: () => Value) {
    const inSnapshot = this.options.db.transaction(() => ({ value: read(), lastChange: this.#newest.get()?.seq ?? 0 }));
    return this.#noticingDamage(() => inSnapshot());
  }

  #requireFiles(): void {
    const { lost } = this.look();
    if (lost === undefined) return;
    throw new Failure('not_ready', { cause: new Error(lost) });
  }

  #noticingDamage<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      throw this.#errorFor(error);
    }
  }

  /** Records damage to the file. Returns the error to throw. */
  #errorFor(error: unknown): unknown {
    if (!isDamage(error)) return error;
    const cause = String(error);
    this.isDamaged(cause);
    return damaged(cause);
  }
}

async function* releasing<Part>(parts: AsyncGenerator<Part, void>, release: () => void): AsyncGenerator<Part, void> {
  try {
    yield* parts;
  } finally {
    release();
  }
}

function damaged(cause: string): Failure {
  const detail = 'The database is damaged: restore it from a backup.';
  return new Failure('not_ready', { detail, cause: new Error(cause) });
}
