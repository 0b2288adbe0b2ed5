/** The embedded engine, as a serving thread uses it: reads from memory or SQLite on this thread, searches and writes on threads of their own. */
import type { Database } from 'bun:sqlite';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { Bytes } from '../../domain/bytes.ts';
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import type { History } from '../../domain/history.ts';
import type { Precondition } from '../../domain/precondition.ts';
import type { Filter } from '../../domain/query.ts';
import type { Stored } from '../../domain/record.ts';
import type { Soon } from '../../domain/soon.ts';
import type {
  Added,
  Bulk,
  Changes,
  Client,
  EncodedPage,
  EncodedRecord,
  Figures,
  Listing,
  Once,
  Page,
  Paged,
  Requester,
  Sharing,
  Store,
} from '../../domain/store.ts';
import type { Tickets } from '../../domain/tickets.ts';
import type { Room } from '../bulk/spool-limits.ts';
import type { CommitObserver } from '../commit-queue.ts';
import { contentTag } from '../content-tag.ts';
import { openApiKeys } from './api-keys.ts';
import { settingIn } from './file/epoch.ts';
import type { Identity } from './file/watch.ts';
import { HotReads } from './hot-reads.ts';
import type { CommitProgress } from './memory/atomics.ts';
import { FileReads } from './reads/file-reads.ts';
import { Searches } from './searches.ts';
import { Tables } from './tables.ts';
import type { WriterClient } from './writer/connection.ts';
import { Writes } from './writes.ts';

export type SqliteOptions = {
  readonly progress: CommitProgress;
  /** Beyond this size of the WAL, lists release their snapshots and long searches leave gaps. */
  readonly walBytes: number;
  readonly room: Room;
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
  /** The database was empty. */
  readonly isNew: boolean;
  readonly unserved: readonly string[];
  readonly tickets: Tickets;
  /** For other threads; undefined on one of those. */
  readonly sharing: Sharing | undefined;
  /** Ends the writing thread, after the last write. */
  closeWriter(): Promise<void>;
  /** Closes the connection, and releases the lock on the file. */
  end(): void;
};

export class SqliteStore implements Store {
  readonly tagOf = contentTag;
  /** Resolves when both threads answer; rejects with a StartError when one cannot start. */
  readonly ready: Promise<void>;
  readonly apiKeys: ReturnType<typeof openApiKeys>;
  readonly #file: FileReads;
  readonly #hot: HotReads;
  readonly #tables: Tables;
  readonly #searches: Searches;
  readonly #writes: Writes;
  /** Read once: only a start changes it. */
  readonly #secret: string;
  readonly #watching = new Set<() => void>();
  #isFollowing = false;
  #isClosed = false;

  constructor(
    readonly filename: string,
    db: Database,
    collections: readonly Collection[],
    readonly writer: WriterClient,
    readonly options: SqliteOptions,
  ) {
    // Spool files are beside the database: its disk needs room for the incoming records anyway.
    const spoolFolder = filename.startsWith('file:') ? tmpdir() : dirname(filename);
    this.#file = new FileReads({ ...options, filename, db, folder: spoolFolder, onReturn: () => this.#wake() });
    this.#hot = new HotReads(this.#file, options.progress);
    this.#tables = new Tables(db, collections);
    this.#searches = new Searches(db, collections, this.#file);
    this.#writes = new Writes({
      ...options,
      tables: this.#tables,
      writer,
      file: this.#file,
      spoolFolder,
      total: (...asked) => this.total(...asked),
    });
    writer.onMemory = (memory) => this.#tables.readFrom(memory);
    this.apiKeys = openApiKeys(db, (write) => this.#writes.writeKeys(write));
    this.#secret = settingIn(db, 'secret') ?? '';
    this.ready = this.#started();
    this.ready.catch(() => {});
  }

  get tickets(): Tickets {
    return this.options.tickets;
  }

  get sharing(): Sharing | undefined {
    return this.options.sharing;
  }

  get isNew(): boolean {
    return this.options.isNew;
  }

  get unserved(): readonly string[] {
    return this.options.unserved;
  }

  list(collection: Collection): Listing {
    return this.#tables.of(collection).cache?.list() ?? this.#file.list(collection);
  }

  find(collection: Collection, id: bigint): Soon<Bytes | undefined> {
    const table = this.#tables.of(collection);
    const found = table.cache?.find(id);
    if (found === 'missing') return undefined;
    return found ?? this.#hot.find(table, id);
  }

  recordInMemory(collection: Collection, seq: number): EncodedRecord | undefined {
    const table = this.#tables.of(collection);
    const found = table.cache?.record(seq);
    if (found === 'missing') return undefined;
    return found ?? this.#hot.record(table, seq);
  }

  encodedPage(collection: Collection, page: Page): EncodedPage | undefined {
    return this.#searches.pageFrom(this.#tables.of(collection).cache, collection, page);
  }

  get(collection: Collection, seq: number): Soon<Stored | undefined> {
    return this.#file.read(() => this.#tables.of(collection).reader().get(seq));
  }

  async some(collection: Collection, seqs: readonly number[]): Promise<Paged> {
    const { reader } = this.#tables.of(collection);
    return this.#file.read(() => reader().some(seqs));
  }

  async count(collection: Collection): Promise<number> {
    return this.#tables.of(collection).cache?.count ?? this.total(collection, []);
  }

  async estimate(collection: Collection): Promise<number> {
    return this.#tables.of(collection).cache?.count ?? this.#searches.estimate(collection);
  }

  page(collection: Collection, page: Page, asker?: Requester): Promise<Paged> {
    return this.#searches.page(collection, page, asker);
  }

  total(collection: Collection, filters: readonly Filter[], asker?: Requester): Promise<number> {
    return this.#searches.total(collection, filters, asker);
  }

  changes(after: number, limit: number, of?: Collection, bytes?: number, asker?: Requester): Promise<Changes> {
    return this.#searches.changes(after, limit, of, bytes, asker);
  }

  history(): Promise<History> {
    return this.#searches.history();
  }

  secret(): string {
    return this.#secret;
  }

  append(collection: Collection, json: string, by?: string): Promise<Added> {
    return this.#writes.append(collection, json, by);
  }

  appendOnce(collection: Collection, json: string, once: Once, by?: string) {
    return this.#writes.appendOnce(collection, json, once, by);
  }

  bulk(collection: Collection, client: Client, by?: string): Promise<Bulk> {
    return this.#writes.bulk(collection, client, by);
  }

  update(collection: Collection, seq: number, json: string, when?: Precondition<number>, by?: string) {
    return this.#writes.update(collection, seq, json, when, by);
  }

  discard(
    collection: Collection,
    seq: number,
    when?: Precondition<number>,
    permitted?: readonly string[],
    by?: string,
  ) {
    return this.#writes.discard(collection, seq, when, permitted, by);
  }

  remove(collection: Collection, id: bigint, when?: Precondition<string>, permitted?: readonly string[], by?: string) {
    return this.#writes.remove(collection, id, when, permitted, by);
  }

  trim(keptMs: number): Promise<number> {
    return this.#writes.trim(keptMs);
  }

  forgetIdempotencyKeys(keptMs: number): Promise<void> {
    return this.#writes.forgetIdempotencyKeys(keptMs);
  }

  watch(wake: () => void): () => void {
    this.#watching.add(wake);
    this.#follow();
    return () => this.#watching.delete(wake);
  }

  figures(): Figures {
    this.#tables.refresh();
    return {
      writesWaiting: this.#writes.waiting,
      readsWaiting: this.#file.waiting,
      // The first thread counts what all of them share.
      cacheBytes: this.#hot.bytes + (this.sharing === undefined ? 0 : this.options.progress.memoryBytes),
      hot: this.#hot.counts,
      walBytes: this.#file.look().walBytes,
      pools: {},
      replicas: {},
      readsFromPrimary: 0,
    };
  }

  async ping(): Promise<void> {
    this.#file.check();
    this.writer.check();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writes.end();
    await this.writer.close();
    await this.options.closeWriter();
    await this.#file.close();
    this.#tables.close();
    this.#searches.close();
    this.apiKeys.close();
    this.options.end();
  }

  /** Wakes after each commit of any thread, as long as somebody watches. */
  async #follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const { progress } = this.options;
    for (let seen = progress.commits; this.#watching.size > 0 && !this.#isClosed; ) {
      await progress.after(seen);
      const { commits } = progress;
      if (commits !== seen && commits % 2 === 0) this.#wake();
      seen = commits;
    }
    this.#isFollowing = false;
  }

  #wake(): void {
    for (const wake of this.#watching) wake();
  }

  async #started(): Promise<void> {
    try {
      await Promise.all([this.writer.ready, this.#file.ready]);
    } catch (error) {
      const { message } = error as Error;
      throw new StartError(
        `Cannot serve ${this.filename}, because ${message}: check the file and the limits on threads and open files, or restore a backup.`,
      );
    }
  }
}
