/**
 * Reads from the file: on the serving thread, on the searching thread, or as a long list. The file is ahead of the caches
 * while a commit is visible but not yet applied to them; an answer from the file waits until it is.
 */
import type { Database, Statement } from 'bun:sqlite';
import type { Bytes } from '../../../domain/bytes.ts';
import type { Collection } from '../../../domain/collection.ts';
import { Failure } from '../../../domain/errors.ts';
import type { Soon } from '../../../domain/soon.ts';
import type { Listing, Requester } from '../../../domain/store.ts';
import type { Room } from '../../room.ts';
import { isDamage } from '../errors.ts';
import { type Identity, type Seen, watchFiles } from '../file/watch.ts';
import { SearchClient } from '../search/client.ts';
import type { Search } from '../search/search.ts';
import type { SearchResult } from '../search/thread.ts';
import { lastChangeIn, lastChangeStatement } from '../sql.ts';
import { Applied } from './applied.ts';
import { FileList } from './file-list.ts';

export type FileReadsOptions = {
  readonly filename: string;
  readonly db: Database;
  /** The identity of the open files. */
  readonly opened: Identity;
  /** For the spool files of lists. */
  readonly folder: string;
  /** Limits the number of lists and the size of their spool files. */
  readonly room: Room;
  /** Beyond this size of the WAL, lists release their snapshots. */
  readonly walBytes: number;
  readonly onTrouble: ((message: string) => void) | undefined;
  /** The time limit of one search, in milliseconds. */
  readonly searchMs: number;
  /** Called when searches work again after their thread had ended. */
  onReturn(): void;
};

export class FileReads {
  readonly #queries: SearchClient;
  readonly #applied: Applied;
  readonly #lists = new Set<FileList>();
  readonly #newest: Statement<{ seq: number }, []>;
  /** Checks the files at their paths. */
  readonly look: () => Seen;
  #damage: string | undefined;
  #lost: string | undefined;
  #committing = false;

  constructor(readonly options: FileReadsOptions) {
    this.#queries = new SearchClient(options);
    this.#applied = new Applied(lastChangeIn(options.db));
    this.#newest = options.db.prepare(lastChangeStatement);
    this.look = watchFiles(options.filename, options.opened);
  }

  /** Rejects when the searching thread cannot start. */
  get ready(): Promise<void> {
    return this.#queries.ready;
  }

  /** Searches in flight. */
  get waiting(): number {
    return this.#queries.waiting;
  }

  /** The error of SQLite that reported the damage; undefined if the file is not known to be damaged. */
  get damage(): string | undefined {
    return this.#damage;
  }

  isDamaged(cause: string): void {
    if (this.#damage === undefined) {
      this.options.onTrouble?.(`The database is damaged (${cause}): writes are refused; restore a backup.`);
    }
    this.#damage ??= cause;
  }

  /** A commit is in flight: from now on the file may be ahead of the caches. */
  committing(): void {
    this.#committing = true;
  }

  /** The caches have all changes up to this one. */
  applied(lastChange: number, { walBytes, lost }: Seen): void {
    this.#committing = false;
    this.#applied.advance(lastChange);
    if (lost !== undefined && lost !== this.#lost) this.options.onTrouble?.(`${lost}.`);
    this.#lost = lost;
    if (walBytes > this.options.walBytes) for (const list of this.#lists) list.setAside();
  }

  /** After a commit with an unknown outcome: the caches are reloaded, so they are level with the current file. */
  catchUp(): void {
    let last = Number.MAX_SAFE_INTEGER;
    try {
      last = this.#newest.get()?.seq ?? 0;
    } catch {
      // No read of an unreadable file can succeed, so none has to wait.
    }
    this.applied(last, this.look());
  }

  /** Returns at once, unless the result may include a change that the caches do not have yet. */
  read<Value>(read: () => Value): Soon<Value> {
    if (!this.#committing) return this.#noticingDamage(read);
    const value = this.#noticingDamage(read);
    // Read after the value, so the value includes no later change.
    const followed = this.#applied.reached(this.#noticingDamage(() => this.#newest.get()?.seq ?? 0));
    return followed === undefined ? value : followed.then(() => value);
  }

  /** The result, if it has exactly the changes that the caches have now; undefined if not. */
  readLevel<Value>(read: () => Value): Value | undefined {
    if (!this.#committing) return this.#noticingDamage(read);
    const { value, lastChange } = this.#inSnapshot(read);
    return lastChange === this.#applied.last ? value : undefined;
  }

  /** The result has exactly the changes that the caches have when this resolves. */
  readInStep<Value>(read: () => Value): Soon<Value> {
    if (!this.#committing) return this.#noticingDamage(read);
    const { value, lastChange } = this.#inSnapshot(read);
    const followed = this.#applied.reached(lastChange);
    if (followed === undefined) return value;
    return followed.then(() => (this.#applied.last === lastChange ? value : this.readInStep(read)));
  }

  /** Runs on the searching thread. Rejects with `timed_out`, `overloaded` or `not_ready`. */
  async search(search: Search, asker?: Requester): Promise<SearchResult> {
    try {
      const found = await this.#queries.ask(search, asker);
      await this.#applied.reached(found.lastChange);
      return found;
    } catch (error) {
      throw this.#errorFor(error);
    }
  }

  list(collection: Collection): Listing {
    return { tag: undefined, size: undefined, parts: (client) => this.#parts(collection, client) };
  }

  /** Throws if the file is damaged, was removed or replaced, or cannot be searched. */
  check(): void {
    if (this.#damage !== undefined) throw damaged(this.#damage);
    this.#requireFiles();
    using alive = this.options.db.prepare('select version from schema_version');
    this.#noticingDamage(() => alive.get());
    this.#queries.check();
  }

  close(): Promise<void> {
    this.#newest.finalize();
    return this.#queries.close();
  }

  async *#parts(collection: Collection, client: string): AsyncGenerator<Bytes, void> {
    const { filename, folder, room } = this.options;
    // The list opens the path again, and there may be another file by now, or none.
    this.#requireFiles();
    const leave = room.enter('list', client);
    let list: FileList | undefined;
    try {
      list = this.#noticingDamage(() => new FileList(filename, collection, folder, room));
      this.#lists.add(list);
      await this.#applied.reached(list.lastChange);
      for (let part = await list.next(); part !== undefined; part = await list.next()) yield part;
    } catch (error) {
      throw this.#errorFor(error);
    } finally {
      if (list !== undefined) this.#lists.delete(list);
      await list?.close();
      leave();
    }
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

function damaged(cause: string): Failure {
  const detail = 'The database is damaged: restore it from a backup.';
  return new Failure('not_ready', { detail, cause: new Error(cause) });
}
