/** Writes: committed in batches by the writing thread, then applied to the caches, then answered. */
import { bulkClashFailure, clashFailure } from '../../domain/clash.ts';
import type { Collection } from '../../domain/collection.ts';
import { Failure } from '../../domain/errors.ts';
import type { Precondition } from '../../domain/precondition.ts';
import { type Added, type Bulk, type Once, withId } from '../../domain/store.ts';
import { type CommitObserver, CommitQueue } from '../commit-queue.ts';
import type { Room } from '../room.ts';
import { repeatedOf } from '../rows/idempotency-key.ts';
import { openBulk } from '../spooled-bulk.ts';
import type { KeyWrite } from './api-keys.ts';
import type { Cache } from './cache/cache.ts';
import { isDamageMessage } from './errors.ts';
import type { FileReads } from './reads/file-reads.ts';
import type { Tables } from './tables.ts';
import type { WriterClient } from './writer/client.ts';
import {
  type BulkClashed,
  type Clashed,
  type Failed,
  isBulkClashed,
  isBulked,
  isClashed,
  isFailed,
  isRefused,
  isRemoved,
  isRepeated,
  isUnchanged,
  isUpdated,
  type Outcome,
  type Refused,
  type Removed,
  type Updated,
  unexpected,
} from './writer/outcome.ts';
import {
  appendLine,
  bulkLine,
  discardLine,
  dryBulkLine,
  forgetLine,
  keysLine,
  onceLine,
  removeLine,
  trimLine,
  updateLine,
  type WriteLine,
} from './writer/write-line.ts';

/** A line for the writing thread; `apply` updates the cache once the write is on disk, at that time. `weight` is in bytes. */
type QueuedWrite = { readonly line: WriteLine; readonly weight?: number; apply(outcome: Outcome, at: number): void };
/** `seq` is that of the added record; 0 for every other write. */
type Done = Added & { readonly outcome: Exclude<Outcome, Refused | Failed | Clashed | BulkClashed> };

export type WritesOptions = {
  readonly tables: Tables;
  readonly writer: WriterClient;
  readonly file: FileReads;
  /** For the spool files of bulks. */
  readonly spoolFolder: string;
  readonly room: Room;
  readonly onCommit: CommitObserver | undefined;
  readonly onTrouble: ((message: string) => void) | undefined;
  /** Called when there may be new changes. */
  onChange(): void;
};

export class Writes {
  readonly #queue: CommitQueue<QueuedWrite, Done>;

  constructor(readonly options: WritesOptions) {
    this.#queue = new CommitQueue(
      (writes) => this.#commit(writes),
      ({ line, weight }) => weight ?? line.length,
      options.onCommit,
    );
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Waits for the writes in the queue. */
  end(): Promise<void> {
    return this.#queue.end();
  }

  append(collection: Collection, json: string, id: bigint | undefined, by?: string): Promise<Added> {
    const { cache, place } = this.options.tables.of(collection);
    return this.#queue.submit({ line: appendLine(place, json, by), apply: appending(collection, cache, json, id) });
  }

  async appendOnce(collection: Collection, json: string, id: bigint | undefined, once: Once, by?: string) {
    const { cache, place } = this.options.tables.of(collection);
    const write = { line: onceLine(place, once, json, by), apply: appending(collection, cache, json, id) };
    const { outcome, at } = await this.#queue.submit(write);
    if (typeof outcome === 'number') return { seq: outcome, at };
    if (outcome === 'mismatch') return outcome;
    if (isRepeated(outcome)) return repeatedOf(outcome);
    throw unexpected(outcome);
  }

  bulk(collection: Collection, client: string, by?: string): Promise<Bulk> {
    const { cache, place } = this.options.tables.of(collection);
    const { room, spoolFolder: folder } = this.options;
    return openBulk({ folder, room, client }, async ({ spooled, once, isDry }) => {
      const { size: weight } = spooled;
      const apply = (outcome: Outcome) => {
        if (isBulked(outcome) && !isDry) cache.outgrown();
      };
      const line = isDry ? dryBulkLine(place, spooled) : bulkLine(place, spooled, once, by);
      const { outcome } = await this.#queue.submit({ line, weight, apply });
      if (isBulked(outcome) || isRepeated(outcome) || outcome === 'mismatch') return outcome;
      throw unexpected(outcome);
    });
  }

  async update(collection: Collection, seq: number, json: string, when?: Precondition<number>, by?: string) {
    const { cache, place } = this.options.tables.of(collection);
    const apply = (outcome: Outcome, at: number) => {
      if (isUpdated(outcome)) applyUpdate(cache, seq, outcome, at);
    };
    const { outcome, at } = await this.#queue.submit({ line: updateLine(place, seq, when, json, by), apply });
    if (isUpdated(outcome)) {
      const { version, createdAt, json: changed } = outcome;
      return { seq, version, createdAt, updatedAt: at, json: changed };
    }
    if (isUnchanged(outcome)) return outcome;
    throw unexpected(outcome);
  }

  discard(
    collection: Collection,
    seq: number,
    when?: Precondition<number>,
    permitted?: readonly string[],
    by?: string,
  ) {
    const { cache, place } = this.options.tables.of(collection);
    return this.#remove(cache, discardLine(place, seq, when, permitted, by));
  }

  remove(collection: Collection, id: bigint, when?: Precondition<string>, permitted?: readonly string[], by?: string) {
    const { cache, place } = this.options.tables.of(collection);
    return this.#remove(cache, removeLine(place, id, when, permitted, by));
  }

  async #remove(cache: Cache, line: WriteLine) {
    const apply = (outcome: Outcome, at: number) => {
      if (!isRemoved(outcome)) return;
      applyRemoval(cache, outcome);
      for (const other of outcome.others ?? []) {
        const changed = this.options.tables.cacheAt(other.place);
        if (changed === undefined) continue;
        if ('removed' in other) applyRemoval(changed, other);
        else applyUpdate(changed, other.seq, other, at);
      }
    };
    const { outcome } = await this.#queue.submit({ line, apply });
    if (isRemoved(outcome)) return 'done';
    if (isUnchanged(outcome)) return outcome;
    throw unexpected(outcome);
  }

  async trim(keptMs: number): Promise<number> {
    const { outcome } = await this.#queue.submit({ line: trimLine(keptMs), apply: () => {} });
    return typeof outcome === 'object' && 'trimmed' in outcome ? outcome.trimmed : 0;
  }

  async forgetIdempotencyKeys(keptMs: number): Promise<void> {
    await this.#queue.submit({ line: forgetLine(keptMs), apply: () => {} });
  }

  async writeKeys(write: KeyWrite): Promise<boolean> {
    const { outcome } = await this.#queue.submit({ line: keysLine(write), apply: () => {} });
    return typeof outcome === 'object' && 'isDone' in outcome && outcome.isDone;
  }

  /** The caches apply all writes of a batch in order, before any of them is answered. */
  async #commit(writes: readonly QueuedWrite[]): Promise<(Done | Error)[]> {
    const { file, writer, tables } = this.options;
    if (file.damage !== undefined) throw refusal({ refused: 'unavailable', cause: file.damage });
    file.committing();
    const { outcomes, at, lastChange, walBytes, lost } = await writer
      .commit(writes.map(({ line }) => line))
      .catch((cause) => {
        throw this.#unanswered(cause);
      });
    try {
      const time = Date.parse(at);
      outcomes.forEach((outcome, index) => {
        writes[index]?.apply(outcome, time);
      });
      tables.publish();
    } catch (error) {
      // The commit is durable, even if the caches cannot apply it.
      tables.restartCaches();
      this.options.onTrouble?.(`The cache could not apply a commit (${error}): it is reloaded from the database.`);
    }
    file.applied(lastChange, { walBytes, lost });
    this.options.onChange();
    return outcomes.map((outcome) => this.#answer(outcome, at, lost));
  }

  #answer(outcome: Outcome, at: string, lost: string | undefined): Done | Error {
    // Most writes are additions.
    if (typeof outcome === 'number' && lost === undefined) return { seq: outcome, at, outcome };
    if (isRefused(outcome)) {
      if (isDamageMessage(outcome.cause)) this.options.file.isDamaged(outcome.cause);
      return refusal(outcome);
    }
    if (lost !== undefined) return refusal({ refused: 'unknown', cause: lost });
    if (isClashed(outcome)) return clashFailure(outcome.clashes);
    if (isBulkClashed(outcome)) return bulkClashFailure(outcome.bulkClashes, outcome.first);
    if (isFailed(outcome)) return new Error(outcome.failed);
    return { seq: 0, at, outcome };
  }

  /** A batch that was sent may be in the file but not in the caches, so the caches are reloaded. */
  #unanswered(cause: unknown): Failure {
    const { tables, file } = this.options;
    const isSent = cause instanceof Failure;
    if (isSent) tables.restartCaches();
    file.catchUp();
    this.options.onChange();
    return isSent ? cause : refusal({ refused: 'unavailable', cause: String(cause) });
  }
}

function appending({ contract }: Collection, cache: Cache, json: string, id: bigint | undefined): QueuedWrite['apply'] {
  return (outcome, at) => {
    if (typeof outcome !== 'number') return;
    const meta = { seq: outcome, version: 1, created: at, updated: at };
    if (contract === undefined || id !== undefined) cache.appended(meta, id, json);
    else cache.appended(meta, BigInt(outcome), withId(json, outcome));
  };
}

function applyUpdate(cache: Cache, seq: number, { version, json, id, newId, next = 0 }: Updated, at: number): void {
  cache.replaced(seq, version, at, json);
  if (id !== undefined && newId !== undefined) cache.renamed(seq, BigInt(id), BigInt(newId), next);
}

function applyRemoval(cache: Cache, { removed, id, next = 0 }: Removed): void {
  cache.removed(removed, id === undefined ? undefined : BigInt(id), next);
}

function refusal({ refused, cause }: Refused): Failure {
  return new Failure(refused === 'unknown' ? 'outcome_unknown' : 'storage_unavailable', { cause: new Error(cause) });
}
