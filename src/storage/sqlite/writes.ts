/** Writes: committed in batches by the writing thread, which also shows them in memory, then answered. */
import { bulkClashFailure, clashFailure } from '../../domain/clash.ts';
import type { Collection } from '../../domain/collection.ts';
import { Failure } from '../../domain/errors.ts';
import type { Precondition } from '../../domain/precondition.ts';
import type { Added, Bulk, Client, Once, Store } from '../../domain/store.ts';
import { placeAmongAll } from '../bulk/spool.ts';
import type { Room } from '../bulk/spool-limits.ts';
import { type BulkOrder, openBulk } from '../bulk/spooled-bulk.ts';
import { type CommitObserver, CommitQueue } from '../commit-queue.ts';
import { repeatedOf } from '../rows/idempotency-key.ts';
import type { KeyWrite } from './api-keys.ts';
import { isDamageMessage } from './errors.ts';
import type { FileReads } from './reads/file-reads.ts';
import type { Tables } from './tables.ts';
import type { WriterClient } from './writer/connection.ts';
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
  unexpected,
} from './writer/outcome.ts';
import {
  appendLine,
  bulkLine,
  discardLine,
  dryBulkLine,
  forgetLine,
  importLine,
  keysLine,
  onceLine,
  removeLine,
  trimLine,
  updateLine,
  type WriteLine,
} from './writer/write-line.ts';

/** A line for the writing thread. `weight` is in bytes, if it is not that of the line. */
type QueuedWrite = { readonly line: WriteLine; readonly weight?: number };
/** `seq` is that of the added record; 0 for every other write. */
type Done = Added & { readonly outcome: Exclude<Outcome, Refused | Failed | Clashed | BulkClashed> };

export type WritesOptions = {
  readonly tables: Tables;
  readonly writer: WriterClient;
  readonly file: FileReads;
  /** For the spool files of bulks. */
  readonly spoolFolder: string;
  readonly room: Room;
  readonly total: Store['total'];
  readonly onCommit: CommitObserver | undefined;
  readonly onTrouble: ((message: string) => void) | undefined;
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

  append(collection: Collection, json: string, by?: string): Promise<Added> {
    return this.#queue.submit({ line: appendLine(this.#place(collection), json, by) });
  }

  async appendOnce(collection: Collection, json: string, once: Once, by?: string) {
    const { outcome, at } = await this.#queue.submit({ line: onceLine(this.#place(collection), once, json, by) });
    if (typeof outcome === 'number') return { seq: outcome, at };
    if (outcome === 'mismatch') return outcome;
    if (isRepeated(outcome)) return repeatedOf(outcome);
    throw unexpected(outcome);
  }

  bulk(collection: Collection, client: Client, by?: string): Promise<Bulk> {
    const place = this.#place(collection);
    const { room, spoolFolder: folder } = this.options;
    const add = async ({ spooled, once, isDry, imported }: BulkOrder) => {
      const { size: weight } = spooled;
      const line = isDry
        ? dryBulkLine(place, spooled)
        : imported === undefined
          ? bulkLine(place, spooled, once, by)
          : importLine(place, spooled, imported, by);
      const { outcome } = await this.#queue.submit({ line, weight });
      if (isBulked(outcome) || isRepeated(outcome) || outcome === 'mismatch') return outcome;
      throw unexpected(outcome);
    };
    const { total } = this.options;
    return openBulk({ folder, room, client }, { add, total: (...asked) => total(collection, ...asked) });
  }

  async update(collection: Collection, seq: number, json: string, when?: Precondition<number>, by?: string) {
    const line = updateLine(this.#place(collection), seq, when, json, by);
    const { outcome, at } = await this.#queue.submit({ line });
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
    return this.#remove(discardLine(this.#place(collection), seq, when, permitted, by));
  }

  remove(collection: Collection, id: bigint, when?: Precondition<string>, permitted?: readonly string[], by?: string) {
    return this.#remove(removeLine(this.#place(collection), id, when, permitted, by));
  }

  async #remove(line: WriteLine) {
    const { outcome } = await this.#queue.submit({ line });
    if (isRemoved(outcome)) return 'done';
    if (isUnchanged(outcome)) return outcome;
    throw unexpected(outcome);
  }

  async trim(keptMs: number): Promise<number> {
    const { outcome } = await this.#queue.submit({ line: trimLine(keptMs) });
    return typeof outcome === 'object' && 'trimmed' in outcome ? outcome.trimmed : 0;
  }

  async forgetIdempotencyKeys(keptMs: number): Promise<void> {
    await this.#queue.submit({ line: forgetLine(keptMs) });
  }

  async writeKeys(write: KeyWrite): Promise<boolean> {
    const { outcome } = await this.#queue.submit({ line: keysLine(write) });
    return typeof outcome === 'object' && 'isDone' in outcome && outcome.isDone;
  }

  #place(collection: Collection): number {
    return this.options.tables.of(collection).place;
  }

  async #commit(writes: readonly QueuedWrite[]): Promise<(Done | Error)[]> {
    const { file, writer } = this.options;
    if (file.damage !== undefined) throw refusal({ refused: 'unavailable', cause: file.damage });
    const { outcomes, at, walBytes, lost } = await writer.commit(writes.map(({ line }) => line)).catch((cause) => {
      throw cause instanceof Failure ? cause : refusal({ refused: 'unavailable', cause: String(cause) });
    });
    file.noticed({ walBytes, lost });
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
    if (isBulkClashed(outcome)) {
      const { bulkClashes, first, without } = outcome;
      return bulkClashFailure(bulkClashes, first, (place) => placeAmongAll(place, without));
    }
    if (isFailed(outcome)) return new Error(outcome.failed);
    return { seq: 0, at, outcome };
  }
}

function refusal({ refused, cause }: Refused): Failure {
  return new Failure(refused === 'unknown' ? 'outcome_unknown' : 'storage_unavailable', { cause: new Error(cause) });
}
