/**
 * What is read from the file, on the thread that serves, on the one that searches, or as a long list. The file is ahead of
 * the memory for as long as a commit is visible and not yet applied there: an answer from the file waits for that.
 */
import type { Database, Statement } from 'bun:sqlite';
import type { Bytes } from '../../../domain/bytes.ts';
import type { Collection } from '../../../domain/collection.ts';
import { Failure } from '../../../domain/errors.ts';
import type { Soon } from '../../../domain/soon.ts';
import type { Asker, Listing } from '../../../domain/store.ts';
import type { Room } from '../../room.ts';
import { isDamage } from '../errors.ts';
import { type Identity, type Seen, watchFiles } from '../file/watch.ts';
import { RemoteQueries } from '../search/client.ts';
import type { Search } from '../search/search.ts';
import type { Found } from '../search/thread.ts';
import { lastChangeIn, lastChangeStatement } from '../sql.ts';
import { Applied } from './applied.ts';
import { FileList } from './file-list.ts';

export type FileReadsOptions = {
  readonly filename: string;
  readonly db: Database;
  /** The files that it has open. */
  readonly opened: Identity;
  /** Where a list is set aside. */
  readonly folder: string;
  /** For those lists, and for their files. */
  readonly room: Room;
  /** With a log of more, no reader of a list keeps a snapshot of it. */
  readonly walBytes: number;
  readonly onTrouble: ((message: string) => void) | undefined;
  /** In milliseconds: for one search. */
  readonly searchMs: number;
  /** Searches work again after their thread had ended. */
  onReturn(): void;
};

export class FileReads {
  readonly #queries: RemoteQueries;
  readonly #applied: Applied;
  readonly #lists = new Set<FileList>();
  readonly #newest: Statement<{ seq: number }, []>;
  /** The files under their names as they stand now. */
  readonly look: () => Seen;
  #damage: string | undefined;
  #lost: string | undefined;
  #committing = false;

  constructor(readonly options: FileReadsOptions) {
    this.#queries = new RemoteQueries(options);
    this.#applied = new Applied(lastChangeIn(options.db));
    this.#newest = options.db.prepare(lastChangeStatement);
    this.look = watchFiles(options.filename, options.opened);
  }

  /** Rejects when the searching thread cannot start. */
  get ready(): Promise<void> {
    return this.#queries.ready;
  }

  /** Searches that wait for an answer. */
  get waiting(): number {
    return this.#queries.waiting;
  }

  /** What SQLite said when it found the file damaged. */
  get damage(): string | undefined {
    return this.#damage;
  }

  isDamaged(cause: string): void {
    if (this.#damage === undefined) {
      this.options.onTrouble?.(`The database is damaged, so writes are refused: restore a backup (${cause}).`);
    }
    this.#damage ??= cause;
  }

  /** A commit is in flight: from now on the file may be ahead of the memory. */
  committing(): void {
    this.#committing = true;
  }

  /** The memory has all changes up to this one. */
  applied(lastChange: number, { walBytes, lost }: Seen): void {
    this.#committing = false;
    this.#applied.advance(lastChange);
    if (lost !== undefined && lost !== this.#lost) this.options.onTrouble?.(`${lost}.`);
    this.#lost = lost;
    if (walBytes > this.options.walBytes) for (const list of this.#lists) list.setAside();
  }

  /** Nobody can tell what the last commit did: the memory is read again, so it is level with the file as it stands. */
  catchUp(): void {
    let last = Number.MAX_SAFE_INTEGER;
    try {
      last = this.#newest.get()?.seq ?? 0;
    } catch {
      // A file that cannot be read has nothing to wait for either.
    }
    this.applied(last, this.look());
  }

  /** At once, unless it may show what the memory does not have yet. */
  read<Value>(read: () => Value): Soon<Value> {
    if (!this.#committing) return this.#trusting(read);
    const value = this.#trusting(read);
    // Looked at behind the reading: it includes no more than this.
    const followed = this.#applied.reached(this.#trusting(() => this.#newest.get()?.seq ?? 0));
    return followed === undefined ? value : followed.then(() => value);
  }

  /** What the file said at the last change that the memory has when this is answered: no more, and no less. */
  readInStep<Value>(read: () => Value): Soon<Value> {
    if (!this.#committing) return this.#trusting(read);
    const inSnapshot = this.options.db.transaction(() => ({ value: read(), lastChange: this.#newest.get()?.seq ?? 0 }));
    const { value, lastChange } = this.#trusting(() => inSnapshot());
    const followed = this.#applied.reached(lastChange);
    if (followed === undefined) return value;
    return followed.then(() => (this.#applied.last === lastChange ? value : this.readInStep(read)));
  }

  /** On the thread for what may take long. */
  async search(search: Search, asker?: Asker): Promise<Found> {
    try {
      const found = await this.#queries.ask(search, asker);
      await this.#applied.reached(found.lastChange);
      return found;
    } catch (error) {
      throw this.#judged(error);
    }
  }

  list(collection: Collection): Listing {
    return { tag: undefined, size: undefined, parts: (client) => this.#parts(collection, client) };
  }

  /** Throws where the file is damaged or not the one under its name any more, or cannot be searched. */
  check(): void {
    if (this.#damage !== undefined) throw damaged(this.#damage);
    this.#requireFiles();
    using alive = this.options.db.prepare('select version from schema_version');
    this.#trusting(() => alive.get());
    this.#queries.check();
  }

  close(): Promise<void> {
    this.#newest.finalize();
    return this.#queries.close();
  }

  async *#parts(collection: Collection, client: string): AsyncGenerator<Bytes, void> {
    const { filename, folder, room } = this.options;
    // Under its name there may be another file by now, or none.
    this.#requireFiles();
    const leave = room.enter('list', client);
    let list: FileList | undefined;
    try {
      list = this.#trusting(() => new FileList(filename, collection, folder, room));
      this.#lists.add(list);
      await this.#applied.reached(list.lastChange);
      for (let part = await list.next(); part !== undefined; part = await list.next()) yield part;
    } catch (error) {
      throw this.#judged(error);
    } finally {
      if (list !== undefined) this.#lists.delete(list);
      await list?.close();
      leave();
    }
  }

  #requireFiles(): void {
    const { lost } = this.look();
    if (lost === undefined) return;
    throw new Failure('not_ready', { cause: new Error(lost) });
  }

  #trusting<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      throw this.#judged(error);
    }
  }

  /** Notes where the file is damaged; answers what a read that failed so is answered with. */
  #judged(error: unknown): unknown {
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
