/** The embedded engine: reads from memory or SQLite on this thread, writes on another. */
import type { Database } from 'bun:sqlite';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { Collection } from '../../domain/collection.ts';
import { Failure, StartError } from '../../domain/errors.ts';
import type { Gap, History } from '../../domain/history.ts';
import { parseJson } from '../../domain/json.ts';
import type { Precondition } from '../../domain/precondition.ts';
import type { Filter } from '../../domain/query.ts';
import type { ColumnValue, Stored } from '../../domain/record.ts';
import type { Soon } from '../../domain/soon.ts';
import {
  type Added,
  type Asker,
  type Bulk,
  type Bytes,
  type Changes,
  type Figures,
  type Listing,
  type Once,
  type Page,
  type Paged,
  type Store,
  withId,
} from '../../domain/store.ts';
import { bytesAtOnce } from '../bounds.ts';
import { openBulk } from '../bulk.ts';
import { type CommitObserver, CommitQueue } from '../commit-queue.ts';
import { contentTag } from '../content-tag.ts';
import type { Room } from '../room.ts';
import { changesOf } from '../rows/change.ts';
import { repeatedOf } from '../rows/idempotency-key.ts';
import { type Budget, Cache } from './cache/cache.ts';
import { tellsOfDamage } from './errors.ts';
import { gapsIn, settingIn } from './file/epoch.ts';
import type { Identity } from './file/watch.ts';
import { openKeys } from './keys.ts';
import { FileReads } from './reads/file-reads.ts';
import { openReader } from './reads/reader.ts';
import { changesSearch, countSearch, nothingSearch, pageSearch } from './search/plan.ts';
import { openTickets } from './tickets.ts';
import type { RemoteWriter } from './writer/client.ts';
import {
  type Failed,
  isBulked,
  isFailed,
  isRefused,
  isRemoved,
  isRepeated,
  isUnchanged,
  isUpdated,
  type Outcome,
  type Refused,
  unexpected,
} from './writer/outcome.ts';
import {
  appendLine,
  bulkLine,
  changeLine,
  forgetLine,
  onceLine,
  removeLine,
  trimLine,
  type WriteLine,
} from './writer/write-line.ts';

type Table = { readonly place: number; readonly reader: ReturnType<typeof openReader>; readonly cache: Cache };

/** A write, and what to tell the cache when it is on disk. */
type Write = { readonly line: WriteLine; readonly weight?: number; apply(outcome: Outcome): void };
/** `seq` is the number of the added record; 0 for every other write. */
type Done = Added & { readonly outcome: Exclude<Outcome, Refused | Failed> };

export type SqliteOptions = {
  /** Bounds what the records may take in memory beside the file. */
  readonly cacheBytes: number;
  /** With a log of more, no reader of a list keeps a snapshot of it. */
  readonly walBytes: number;
  readonly room: Room;
  /** In milliseconds: for one search. */
  readonly searchMs: number;
  readonly onCommit: CommitObserver | undefined;
  /** Told once when the file is damaged, and each time that it is lost. */
  readonly onTrouble: ((message: string) => void) | undefined;
  /** The files that are open. */
  readonly opened: Identity;
  /** There was nothing in the database. */
  readonly isNew: boolean;
  /** Closes the connection, and lets go of the file for another server. */
  end(): void;
};

export class SqliteStore implements Store {
  readonly tagOf = contentTag;
  /** Resolves when both threads answer; rejects with a StartError when one cannot start. */
  readonly ready: Promise<void>;
  readonly keys: ReturnType<typeof openKeys>;
  readonly tickets = openTickets();
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #queue: CommitQueue<Write, Done>;
  readonly #file: FileReads;
  readonly #budget: Budget;
  /** Only a start makes one, and another secret with it. */
  readonly #gaps: readonly Gap[];
  readonly #secret: string;
  readonly #watching = new Set<() => void>();

  constructor(
    readonly filename: string,
    readonly db: Database,
    readonly collections: readonly Collection[],
    readonly writer: RemoteWriter,
    readonly options: SqliteOptions,
  ) {
    const budget: Budget = { limit: options.cacheBytes, used: 0 };
    this.#budget = budget;
    this.#file = new FileReads({
      ...options,
      filename,
      db,
      folder: this.spoolFolder,
      onReturn: () => this.#wake(),
    });
    const run = crypto.randomUUID().slice(0, 8);
    const tables = collections.map((collection, place) => {
      const reader = openReader(db, collection);
      const after = (seq: number, limit: number) => this.#file.readInStep(() => reader.after(seq, limit));
      return [collection.name, { place, reader, cache: new Cache({ after }, budget, run) }] as const;
    });
    this.#tables = new Map(tables);
    this.keys = openKeys(db);
    this.#gaps = gapsIn(db);
    this.#secret = settingIn(db, 'secret') ?? '';
    this.ready = this.#started();
    this.ready.catch(() => {});
    this.#queue = new CommitQueue(
      (writes) => this.#commit(writes),
      ({ line, weight }) => weight ?? line.length,
      options.onCommit,
    );
    // What cannot be read here cannot be read by a request either, and is told there.
    for (const [, { cache }] of tables) cache.fill().catch(() => cache.close());
  }

  get isNew(): boolean {
    return this.options.isNew;
  }

  list(collection: Collection): Listing {
    const { cache } = this.#table(collection);
    return cache.ready ? cache.list() : this.#file.list(collection);
  }

  find(collection: Collection, id: bigint): Soon<Bytes | undefined> {
    const { cache, reader } = this.#table(collection);
    return cache.ready ? cache.find(id) : this.#file.read(() => reader.find(id));
  }

  append(collection: Collection, json: string, id: bigint | undefined): Promise<Added> {
    const { cache, place } = this.#table(collection);
    const apply = (outcome: Outcome) => {
      if (typeof outcome !== 'number') return;
      if (id === undefined) cache.appended(outcome, BigInt(outcome), withId(json, outcome));
      else cache.appended(outcome, id, json);
    };
    return this.#queue.submit({ line: appendLine(place, json), apply });
  }

  async appendOnce(collection: Collection, json: string, once: Once) {
    const { cache, place } = this.#table(collection);
    const apply = (outcome: Outcome) => {
      if (typeof outcome !== 'number') return;
      const whole = withId(json, outcome);
      cache.appended(outcome, collection.parse(parseJson(whole)).id, whole);
    };
    const { outcome, at } = await this.#queue.submit({ line: onceLine(place, once, json), apply });
    if (typeof outcome === 'number') return { seq: outcome, at };
    if (outcome === 'mismatch') return outcome;
    if (isRepeated(outcome)) return repeatedOf(collection, outcome);
    throw unexpected(outcome);
  }

  bulk(collection: Collection, client: string): Promise<Bulk> {
    const { cache, place } = this.#table(collection);
    const apply = (outcome: Outcome) => {
      if (isBulked(outcome)) cache.outgrown();
    };
    const { room } = this.options;
    return openBulk({ folder: this.spoolFolder, room, client }, async (spooled, once) => {
      const { size: weight } = spooled;
      const { outcome } = await this.#queue.submit({ line: bulkLine(place, spooled, once), weight, apply });
      if (isBulked(outcome) || isRepeated(outcome) || outcome === 'mismatch') return outcome;
      throw unexpected(outcome);
    });
  }

  async forgetKeys(keptMs: number): Promise<void> {
    await this.#queue.submit({ line: forgetLine(keptMs), apply: () => {} });
  }

  get(collection: Collection, seq: number): Soon<Stored | undefined> {
    return this.#file.read(() => this.#table(collection).reader.get(seq));
  }

  async page(collection: Collection, page: Page, asker?: Asker): Promise<Paged> {
    const { limit } = page;
    const { rows, more } = await this.#file.search(pageSearch(collection, page, bytesAtOnce), asker);
    const records = rows.slice(0, limit).map((row) => storedOf(collection, row));
    return { records, more: more || rows.length > limit };
  }

  async total(collection: Collection, filters: readonly Filter[], asker?: Asker): Promise<number> {
    const { rows } = await this.#file.search(countSearch(collection, filters), asker);
    return Number(rows[0]?.[0] ?? 0);
  }

  async secret(): Promise<string> {
    return this.#secret;
  }

  async changes(after: number, limit: number, of?: Collection, bytes = bytesAtOnce, asker?: Asker): Promise<Changes> {
    // Those of a collection that is not declared any more cannot be told.
    const names = (of === undefined ? this.collections : [of]).map(({ name }) => name);
    const search = changesSearch(names, of !== undefined, after, limit + 1, bytes);
    const { rows, more, lastChange } = await this.#file.search(search, asker);
    const history = this.#history(lastChange);
    return { changes: changesOf(this.collections, rows.slice(0, limit)), more: more || rows.length > limit, history };
  }

  async history(): Promise<History> {
    const { lastChange } = await this.#file.search(nothingSearch);
    return this.#history(lastChange);
  }

  /** Read behind the changes: what is forgotten meanwhile can be missing and be told, and never be missing untold. */
  #history(last: number): History {
    return { last, trimmed: Number(settingIn(this.db, 'trimmed') ?? 0), gaps: this.#gaps };
  }

  watch(wake: () => void): () => void {
    this.#watching.add(wake);
    return () => this.#watching.delete(wake);
  }

  async trim(keptMs: number): Promise<number> {
    const { outcome } = await this.#queue.submit({ line: trimLine(keptMs), apply: () => {} });
    return typeof outcome === 'object' && 'trimmed' in outcome ? outcome.trimmed : 0;
  }

  async update(collection: Collection, seq: number, json: string, when?: Precondition<number>) {
    const { cache, place } = this.#table(collection);
    const apply = (outcome: Outcome) => {
      if (!isUpdated(outcome)) return;
      cache.replaced(seq, BigInt(outcome.id), BigInt(outcome.newId), outcome.next, outcome.json);
    };
    const { outcome, at } = await this.#queue.submit({ line: changeLine(place, seq, when, json), apply });
    if (isUpdated(outcome)) {
      const row = collection.parse(parseJson(outcome.json));
      return { seq, version: outcome.version, createdAt: outcome.createdAt, updatedAt: at, row };
    }
    if (isUnchanged(outcome)) return outcome;
    throw unexpected(outcome);
  }

  async discard(collection: Collection, seq: number, when?: Precondition<number>) {
    const { cache, place } = this.#table(collection);
    const apply = (outcome: Outcome) => forget(cache, outcome);
    const { outcome } = await this.#queue.submit({ line: changeLine(place, seq, when, undefined), apply });
    if (isRemoved(outcome)) return 'done';
    if (isUnchanged(outcome)) return outcome;
    throw unexpected(outcome);
  }

  async remove(collection: Collection, id: bigint, when?: Precondition<string>) {
    const { cache, place } = this.#table(collection);
    const apply = (outcome: Outcome) => forget(cache, outcome);
    const { outcome } = await this.#queue.submit({ line: removeLine(place, id, when), apply });
    if (isRemoved(outcome)) return 'done';
    if (isUnchanged(outcome)) return outcome;
    throw unexpected(outcome);
  }

  async count(collection: Collection): Promise<number> {
    const { cache, reader } = this.#table(collection);
    return cache.ready ? cache.count : this.#file.read(() => reader.count());
  }

  async estimate(collection: Collection): Promise<number> {
    const { cache } = this.#table(collection);
    return cache.ready ? cache.count : this.total(collection, []);
  }

  figures(): Figures {
    return {
      writesWaiting: this.#queue.waiting,
      readsWaiting: this.#file.waiting,
      cacheBytes: this.#budget.used,
      walBytes: this.#file.look().walBytes,
      pools: {},
    };
  }

  async ping(): Promise<void> {
    this.#file.check();
    this.writer.check();
  }

  async close(): Promise<void> {
    await this.#queue.end();
    await this.writer.close();
    await this.#file.close();
    // SQLite keeps a file open for as long as a statement on it is.
    for (const { reader, cache } of this.#tables.values()) {
      cache.close();
      reader.close();
    }
    this.keys.close();
    this.options.end();
  }

  /** Where there is room for the records there is room for those on their way in. */
  get spoolFolder(): string {
    return this.filename.startsWith('file:') ? tmpdir() : dirname(this.filename);
  }

  /** The cache learns of all writes of a batch in their order, before anybody is told of any. */
  async #commit(writes: readonly Write[]): Promise<(Done | Error)[]> {
    const { damage } = this.#file;
    if (damage !== undefined) throw refused({ refused: 'unavailable', cause: damage });
    this.#file.committing();
    const { outcomes, at, lastChange, walBytes, lost } = await this.writer
      .commit(writes.map(({ line }) => line))
      .catch((cause) => {
        throw this.#unanswered(cause);
      });
    try {
      outcomes.forEach((outcome, index) => {
        writes[index]?.apply(outcome);
      });
    } catch (error) {
      // What was committed stays so, whatever the caches make of it.
      for (const { cache } of this.#tables.values()) cache.startOver();
      this.options.onTrouble?.(`The records in memory could not follow a commit, and are read again (${error}).`);
    }
    this.#file.applied(lastChange, { walBytes, lost });
    this.#wake();
    return outcomes.map((outcome) => this.#told(outcome, at, lost));
  }

  #told(outcome: Outcome, at: string, lost: string | undefined): Done | Error {
    if (isRefused(outcome)) {
      if (tellsOfDamage(outcome.cause)) this.#file.isDamaged(outcome.cause);
      return refused(outcome);
    }
    if (lost !== undefined) return refused({ refused: 'unknown', cause: lost });
    if (isFailed(outcome)) return new Error(outcome.failed);
    return { seq: typeof outcome === 'number' ? outcome : 0, at, outcome };
  }

  /** Where the batch was sent, it may be in the file and not in the caches, so they are read again. */
  #unanswered(cause: unknown): Failure {
    const sent = cause instanceof Failure;
    if (sent) for (const { cache } of this.#tables.values()) cache.startOver();
    this.#file.catchUp();
    this.#wake();
    return sent ? cause : refused({ refused: 'unavailable', cause: String(cause) });
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

  #table({ name }: Collection): Table {
    const found = this.#tables.get(name);
    if (found === undefined) throw new Error(`the store was opened without the collection ${name}`);
    return found;
  }
}

/** Without Retry-After where the outcome is unknown: a client that heeds it would send the write again. */
function refused({ refused: why, cause }: Refused): Failure {
  return why === 'unknown'
    ? new Failure('outcome_unknown', { cause: new Error(cause) })
    : new Failure('storage_unavailable', { cause: new Error(cause) });
}

/** The columns that come before the fields. */
function storedOf(
  { record }: Collection,
  [seq, version, createdAt, updatedAt, ...values]: readonly ColumnValue[],
): Stored {
  return record.decode({ seq, version, createdAt, updatedAt }, values);
}

function forget(cache: Cache, outcome: Outcome): void {
  if (isRemoved(outcome)) cache.removed(outcome.removed, BigInt(outcome.id), outcome.next);
}
