/** The life of a store on one serving thread, and its keys, secret and figures. */
import type { Database } from 'bun:sqlite';
import { StartError } from '../../domain/errors.ts';
import type { Admin, Sharing } from '../../domain/store/admin.ts';
import type { Figures } from '../../domain/store/figures.ts';
import type { Tickets } from '../../domain/store/tickets.ts';
import { openApiKeys } from './api-keys.ts';
import { settingIn } from './file/epoch.ts';
import type { HotReads } from './hot-reads.ts';
import type { CommitProgress } from './memory/atomics.ts';
import type { FileReads } from './reads/file-reads.ts';
import type { Tables } from './tables.ts';
import type { WriteQueue } from './write-queue.ts';
import type { WriterClient } from './writer/thread/connection.ts';

export type AdminOptions = {
  readonly progress: CommitProgress;
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

/** What the parts of a store share. */
export type Machinery = {
  readonly filename: string;
  readonly db: Database;
  readonly writer: WriterClient;
  readonly queue: WriteQueue;
  readonly file: FileReads;
  readonly hot: HotReads;
  readonly tables: Tables;
  readonly reads: { close(): void };
  readonly feed: { close(): void };
};

export class SqliteAdmin implements Admin {
  /** Resolves when both threads answer; rejects with a StartError when one cannot start. */
  readonly ready: Promise<void>;
  readonly isNew: boolean;
  readonly unserved: readonly string[];
  readonly sharing: Sharing | undefined;
  readonly apiKeys: ReturnType<typeof openApiKeys>;
  readonly tickets: Tickets;
  /** Read once: only a start changes it. */
  readonly #secret: string;

  constructor(
    readonly machinery: Machinery,
    readonly options: AdminOptions,
  ) {
    const { db, queue } = machinery;
    this.isNew = options.isNew;
    this.unserved = options.unserved;
    this.sharing = options.sharing;
    this.tickets = options.tickets;
    this.apiKeys = openApiKeys(db, async (write) => {
      const { outcome } = await queue.submit({ op: 'api keys', keys: write });
      return typeof outcome === 'object' && 'isDone' in outcome && outcome.isDone;
    });
    this.#secret = settingIn(db, 'secret') ?? '';
    this.ready = this.#started();
    this.ready.catch(() => {});
  }

  secret(): string {
    return this.#secret;
  }

  async forgetIdempotencyKeys(keptMs: number): Promise<void> {
    await this.machinery.queue.submit({ op: 'forget keys', keptMs });
  }

  figures(): Figures {
    const { tables, queue, file, hot } = this.machinery;
    tables.refresh();
    return {
      writesWaiting: queue.waiting,
      readsWaiting: file.waiting,
      // The first thread counts what all of them share.
      cacheBytes: hot.bytes + (this.sharing === undefined ? 0 : this.options.progress.memoryBytes),
      hot: hot.counts,
      walBytes: file.look().walBytes,
      pools: {},
      replicas: {},
      readsFromPrimary: 0,
    };
  }

  async ping(): Promise<void> {
    this.machinery.file.check();
    this.machinery.writer.check();
  }

  async close(): Promise<void> {
    const { feed, queue, writer, file, tables, reads } = this.machinery;
    feed.close();
    await queue.end();
    await writer.close();
    await this.options.closeWriter();
    await file.close();
    tables.close();
    reads.close();
    this.apiKeys.close();
    this.options.end();
  }

  async #started(): Promise<void> {
    const { writer, file, filename } = this.machinery;
    try {
      await Promise.all([writer.ready, file.ready]);
    } catch (error) {
      const { message } = error as Error;
      throw new StartError(
        `Cannot serve ${filename}, because ${message}: check the file and the limits on threads and open files, or restore a backup.`,
      );
    }
  }
}
