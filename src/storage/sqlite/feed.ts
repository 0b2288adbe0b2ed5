/** Changes are read on the searching thread; the commits of all threads wake those who watch. */
import type { Database } from 'bun:sqlite';
import type { Change, Changes } from '../../domain/feed/change.ts';
import type { Gap, History } from '../../domain/feed/feed-history.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Requester } from '../../domain/store/client.ts';
import { bytesAtOnce } from '../bytes-at-once.ts';
import type { EngineFeed } from '../engine-feed.ts';
import { changesOf, changesRead, transactionOf } from '../rows/change.ts';
import { gapsIn, settingIn } from './file/epoch.ts';
import type { CommitProgress } from './memory/atomics.ts';
import type { FileReads } from './reads/file-reads.ts';
import { changesSearch, lastChangeSearch, restSearch } from './search/plan.ts';
import type { WriteQueue } from './write-queue.ts';

export type FeedOptions = {
  readonly db: Database;
  readonly collections: readonly Collection[];
  readonly file: FileReads;
  readonly queue: WriteQueue;
  readonly progress: CommitProgress;
};

export class SqliteFeed implements EngineFeed {
  /** Read once: only a start can add a gap. */
  readonly #gaps: readonly Gap[];
  readonly #watching = new Set<() => void>();
  #isFollowing = false;
  #isClosed = false;

  constructor(readonly options: FeedOptions) {
    this.#gaps = gapsIn(options.db);
  }

  async changes(
    after: number,
    limit: number,
    of?: Collection,
    bytes = bytesAtOnce,
    requester?: Requester,
  ): Promise<Changes> {
    const { collections, file } = this.options;
    // Changes of a collection that is no longer declared cannot be encoded.
    const names = (of === undefined ? collections : [of]).map(({ name }) => name);
    const found = await file.search(changesSearch(names, of !== undefined, after, limit + 1, bytes), requester);
    const history = this.#history(found.lastChange);
    const changes = changesOf(collections, found.rows.slice(0, limit));
    const following = found.rows[limit];
    if (following !== undefined) return changesRead(changes, true, transactionOf(following)?.first, history);
    const next = found.more ? await this.#nextOf(names, changes.at(-1), requester) : undefined;
    return changesRead(changes, found.more, next, history);
  }

  async history(): Promise<History> {
    const { lastChange } = await this.options.file.search(lastChangeSearch);
    return this.#history(lastChange);
  }

  watch(wake: () => void): () => void {
    this.#watching.add(wake);
    this.#follow();
    return () => this.#watching.delete(wake);
  }

  async trim(keptMs: number): Promise<number> {
    const { outcome } = await this.options.queue.submit({ op: 'trim', keptMs });
    return typeof outcome === 'object' && 'trimmed' in outcome ? outcome.trimmed : 0;
  }

  /** Wakes all who watch. */
  wake(): void {
    for (const wake of this.#watching) wake();
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The transaction of `last`, if it goes on after that change: the row after those that fit is not known. */
  async #nextOf(
    names: readonly string[],
    last: Change | undefined,
    requester?: Requester,
  ): Promise<number | undefined> {
    if (last?.transaction === undefined) return undefined;
    const { first, size } = last.transaction;
    const rest = await this.options.file.search(restSearch(names, last.changeNumber, first + size), requester);
    return rest.rows.length > 0 ? first : undefined;
  }

  /** Call after the changes are read: then a change that is trimmed meanwhile is never missing without being reported. */
  #history(last: number): History {
    return { last, trimmed: Number(settingIn(this.options.db, 'trimmed') ?? 0), gaps: this.#gaps };
  }

  /** Wakes after each commit of any thread, as long as somebody watches. */
  async #follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const { progress } = this.options;
    for (let seen = progress.commits; this.#watching.size > 0 && !this.#isClosed; ) {
      await progress.after(seen);
      const { commits } = progress;
      if (commits !== seen && commits % 2 === 0) this.wake();
      seen = commits;
    }
    this.#isFollowing = false;
  }
}
