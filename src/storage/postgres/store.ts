/** Many instances, one truth: every read and write goes to PostgreSQL, and nothing is kept here. */
import { tmpdir } from 'node:os';
import type { SQL } from 'bun';
import type { Collection } from '../../domain/collection.ts';
import { Failure, StartError } from '../../domain/errors.ts';
import type { Gap, History } from '../../domain/history.ts';
import { parseJson } from '../../domain/json.ts';
import type { Keys } from '../../domain/keys.ts';
import type { Precondition } from '../../domain/precondition.ts';
import type { Filter } from '../../domain/query.ts';
import type { Stored } from '../../domain/record.ts';
import type { Row } from '../../domain/row.ts';
import type { Added, Bulk, Bytes, Changes, Figures, Listing, Once, Page, Paged, Store } from '../../domain/store.ts';
import type { Tickets } from '../../domain/tickets.ts';
import { bytesAtOnce } from '../bounds.ts';
import { openBulk } from '../bulk.ts';
import type { CommitObserver } from '../commit-queue.ts';
import { contentTag } from '../content-tag.ts';
import { condition, orderBy } from '../filter.ts';
import type { Room } from '../room.ts';
import { changesOf } from '../rows/change.ts';
import { repeatedOf } from '../rows/idempotency-key.ts';
import { type BatchResult, encodeBatch, type Shown, type VersionsMeant } from './batch.ts';
import { isPassing, isPermanent, Unanswered, wordsOf } from './errors.ts';
import { openKeys } from './keys.ts';
import { Listener } from './listener.ts';
import { LongLists } from './long-lists.ts';
import { Noticed } from './noticed.ts';
import { connect, inTime, Pool } from './pool.ts';
import { removeMeant } from './removal.ts';
import { migrate } from './schema.ts';
import {
  changesStatement,
  dialectOf,
  historyStatement,
  keyStatements,
  lookStatement,
  readStatements,
  trimStatement,
} from './sql.ts';
import { openTickets } from './tickets.ts';
import { Writes } from './writes.ts';

export type PostgresOptions = {
  readonly url: string;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly waitMs: number;
  readonly prepare: boolean;
  /** Makes no new tables. */
  readonly mustExist: boolean;
  readonly room: Room;
  /** Told once, when the database does not answer at the start. */
  readonly onWaiting: (line: string) => void;
  readonly onCommit: CommitObserver | undefined;
  /** Told of each part of the history that the database has lost. */
  readonly onTrouble: ((message: string) => void) | undefined;
};

/** A list of no more than this is one statement. */
const rowsAtOnce = 2000;
const listAtOnce = 1024 * 1024;
/** A part of a longer one. */
const rowsPerPart = 500;
const bytesPerPart = 256 * 1024;
/** Requests that may wait for the database at once. */
const maxReads = 10_000;

/** How often it is looked whether the database still has what clients have heard of. */
const lookMs = 1000;
/** So long after another instance began an epoch, cursors of the one before may still be taken. */
const secretMs = 1000;

const encoder = new TextEncoder();

type Columns = (string | number)[];

export class PostgresStore implements Store {
  readonly tagOf = contentTag;
  readonly keys: Keys;
  readonly tickets: Tickets;
  /** Resolves when the database is in shape; rejects with a StartError when it cannot be brought there. */
  readonly ready: Promise<void>;
  isNew = false;
  readonly #reads: Pool;
  readonly #writer: Pool;
  readonly #writes: Writes;
  readonly #noticed: Noticed;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #secret: { readonly value: string; readonly readAt: number } | undefined;
  /** A slow reader of a long list keeps a connection, and must not keep one from anybody else. */
  readonly #lists: Pool;
  readonly #longLists: LongLists;
  readonly #tables: ReadonlyMap<string, ReturnType<typeof openTable>>;
  readonly #listener: Listener;
  #reading = 0;
  #closed = false;

  constructor(
    readonly options: PostgresOptions,
    readonly collections: readonly Collection[],
  ) {
    const { connections } = options;
    this.#tables = new Map(collections.map((collection) => [collection.name, openTable(collection)]));
    this.#reads = new Pool({ ...options, max: connections, giveUpOn: 'statement_timeout' });
    this.#writer = new Pool({ ...options, max: 1, giveUpOn: 'lock_timeout' });
    this.#noticed = new Noticed((lacked, next) => {
      this.#secret = undefined;
      options.onTrouble?.(lossNotice(lacked, next));
    });
    this.#writes = new Writes(this.#writer, options.timeoutMs, this.#noticed, options.onCommit);
    this.#lists = new Pool({ ...options, max: connections, giveUpOn: 'statement_timeout' });
    this.#longLists = new LongLists(options.room, () => this.#lists.used < connections);
    this.keys = openKeys((ask) => this.#read(ask));
    this.tickets = openTickets((ask) => this.#read(ask));
    const listen = () => connect({ ...options, giveUpOn: 'statement_timeout' }, { max: 1, idleTimeout: 0 });
    this.#listener = new Listener(options.prepare ? listen : undefined);
    this.ready = this.#start();
    this.ready.catch(() => {});
  }

  async list(collection: Collection): Promise<Listing> {
    const { page, encode } = this.#table(collection);
    const deadline = performance.now() + this.options.timeoutMs;
    const rows: Columns[] = await this.#read((sql) => sql.unsafe(page, [0, rowsAtOnce + 1, listAtOnce]).values());
    if (Number(rows[0]?.at(-1) ?? 0) > Math.min(rows.length, rowsAtOnce)) {
      return {
        tag: undefined,
        size: undefined,
        parts: (client) => this.#longLists.parts(client, () => this.#parts(collection, deadline)),
      };
    }
    const bytes = encoder.encode(`[${rows.map(encode).join(',')}]`);
    return { tag: Bun.hash(bytes).toString(36), size: bytes.length, parts: () => [bytes].values() };
  }

  async find(collection: Collection, id: bigint): Promise<Bytes | undefined> {
    const { find, encode } = this.#table(collection);
    const [row] = await this.#read((sql) => sql.unsafe(find, [String(id)]).values());
    return row === undefined ? undefined : encoder.encode(encode(row));
  }

  async append({ name }: Collection, json: string): Promise<Added> {
    const { outcome, at } = await this.#writes.submit({ to: name, add: json });
    if (typeof outcome !== 'number') throw unexpected();
    return { seq: outcome, at };
  }

  async appendOnce(collection: Collection, json: string, _id: bigint | undefined, under: Once) {
    const { outcome, at } = await this.#writes.submit({ to: collection.name, once: json, under });
    if (typeof outcome === 'number') return { seq: outcome, at };
    if (outcome === 'mismatch') return outcome;
    if (typeof outcome === 'object' && 'repeated' in outcome) return repeatedOf(collection, outcome);
    throw unexpected();
  }

  bulk({ name }: Collection, client: string): Promise<Bulk> {
    const { room } = this.options;
    return openBulk({ folder: tmpdir(), room, client }, async (spooled, once) => {
      const outcome = await this.#writes.addAll({ to: name, spooled, once });
      if (outcome === 'mismatch') return outcome;
      if (typeof outcome === 'object' && ('created' in outcome || 'repeated' in outcome)) return outcome;
      throw unexpected();
    });
  }

  async forgetKeys(keptMs: number): Promise<void> {
    await this.#read((sql) => sql.unsafe(keyStatements.forget, [keptMs]));
  }

  async get(collection: Collection, seq: number): Promise<Stored | undefined> {
    const { get, decode } = this.#table(collection);
    const [row] = await this.#read((sql) => sql.unsafe(get, [seq]).values());
    return row === undefined ? undefined : decode(seq, row);
  }

  async page(collection: Collection, { filters, sort, after, limit }: Page): Promise<Paged> {
    const { chosen, dialect, decode } = this.#table(collection);
    const { where, parameters } = condition(dialect, filters, sort, after);
    const statement = chosen(where, orderBy(sort), limit + 1);
    const rows: Columns[] = await this.#read((sql) => sql.unsafe(statement, parameters.map(String)).values());
    const records = rows.slice(0, limit).map(([seq, ...row]) => decode(Number(seq), row));
    return { records, more: hasMore(rows, limit) };
  }

  async total(collection: Collection, filters: readonly Filter[]): Promise<number> {
    const { total, dialect } = this.#table(collection);
    const { where, parameters } = condition(dialect, filters, []);
    const [row] = await this.#read((sql) => sql.unsafe(`${total} ${where}`, parameters.map(String)).values());
    return Number(row?.[0] ?? 0);
  }

  async secret(): Promise<string> {
    const now = performance.now();
    if (this.#secret !== undefined && now - this.#secret.readAt < secretMs) return this.#secret.value;
    const [row] = await this.#read((sql) => sql`select value from settings where name = 'secret'`.values());
    this.#secret = { value: String(row?.[0] ?? ''), readAt: now };
    return this.#secret.value;
  }

  async changes(after: number, limit: number, of?: Collection, bytes = bytesAtOnce): Promise<Changes> {
    // First, so that what is forgotten meanwhile can be missing and be told, and never be missing untold.
    // Those of a collection that is not declared any more cannot be told.
    const names = `{${(of === undefined ? this.collections : [of]).map(({ name }) => name).join(',')}}`;
    const rows = await this.#read((sql) => sql.unsafe(changesStatement, [after, limit + 1, names, bytes]).values());
    const history = await this.history();
    const changes = changesOf(this.collections, rows.slice(0, limit));
    const newest = changes.at(-1);
    if (newest !== undefined) this.#noticed.show([newest.seq, newest.at]);
    return { changes, more: hasMore(rows, limit), history };
  }

  async history(): Promise<History> {
    const [row] = await this.#read((sql) => sql.unsafe(historyStatement).values());
    const [last, trimmed, gaps] = row ?? [];
    return { last: Number(last), trimmed: Number(trimmed), gaps: JSON.parse(String(gaps)) as Gap[] };
  }

  watch(wake: () => void): () => void {
    return this.#listener.watch(wake);
  }

  async trim(keptMs: number): Promise<number> {
    const [row] = await this.#read((sql) => sql.unsafe(trimStatement, [keptMs]).values());
    return Number(row?.[0] ?? 0);
  }

  async update(collection: Collection, seq: number, json: string, when?: Precondition<number>) {
    const { outcome, at } = await this.#writes.submit({ to: collection.name, seq, update: json, when });
    if (typeof outcome === 'object' && 'version' in outcome) {
      const row = collection.parse(parseJson(outcome.json));
      return { seq, version: outcome.version, createdAt: outcome.createdAt, updatedAt: at, row };
    }
    if (outcome === 'missing' || outcome === 'conflict') return outcome;
    throw unexpected();
  }

  async discard({ name }: Collection, seq: number, when?: Precondition<number>) {
    const { outcome } = await this.#writes.submit({ to: name, discard: seq, when });
    if (outcome === 'done' || outcome === 'missing' || outcome === 'conflict') return outcome;
    throw unexpected();
  }

  async remove(collection: Collection, id: bigint, when?: Precondition<string>) {
    const { first, encode } = this.#table(collection);
    const read = async () => {
      const [row]: Columns[] = await this.#read((sql) => sql.unsafe(first, [String(id)]).values());
      if (row === undefined) return undefined;
      return { seq: Number(row.at(-2)), version: Number(row.at(-1)), bytes: encoder.encode(encode(row)) };
    };
    const remove = async (seq: number | undefined, versions: VersionsMeant) => {
      const meant = seq === undefined ? {} : { first: seq };
      const { outcome } = await this.#writes.submit({ to: collection.name, remove: id, ...meant, when: versions });
      if (outcome === 'done' || outcome === 'missing' || outcome === 'conflict') return outcome;
      throw unexpected();
    };
    return removeMeant(when, this.options.timeoutMs, read, remove);
  }

  async count(collection: Collection): Promise<number> {
    const [row] = await this.#read((sql) => sql.unsafe(this.#table(collection).count).values());
    return Number(row?.[0] ?? 0);
  }

  async estimate(collection: Collection): Promise<number> {
    const [row] = await this.#read((sql) => sql.unsafe(this.#table(collection).estimate).values());
    return Number(row?.[0] ?? 0);
  }

  figures(): Figures {
    const { connections } = this.options;
    return {
      writesWaiting: this.#writes.waiting,
      readsWaiting: this.#reading,
      cacheBytes: 0,
      walBytes: 0,
      pools: {
        reads: { used: this.#reads.used, most: connections },
        writes: { used: this.#writer.used, most: 1 },
        lists: { used: this.#lists.used, most: connections },
      },
    };
  }

  async ping(): Promise<void> {
    await this.#read((sql) => sql`select 1`.values());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listener.close();
    // What waits for a database that does not answer is answered in its own time, and not waited for twice.
    await inTime(this.#writes.end(), performance.now() + this.options.timeoutMs).catch(() => {});
    await Promise.all([this.#reads.close(), this.#writer.close(), this.#lists.close()]);
  }

  #table({ name }: Collection): ReturnType<typeof openTable> {
    const found = this.#tables.get(name);
    if (found === undefined) throw new Error(`the store was opened without the collection ${name}`);
    return found;
  }

  async #start(): Promise<void> {
    const deadline = performance.now() + this.options.waitMs;
    let told = false;
    for (let pause = 100; ; pause = Math.min(pause * 2, 1000)) {
      try {
        const soon = performance.now() + Math.max(this.options.timeoutMs, 10_000);
        const { mustExist } = this.options;
        const migrated = await this.#writer.once((sql) => migrate(sql, this.collections, mustExist), soon);
        this.isNew = migrated.isNew;
        this.#writes.writeFunction = migrated.writeFunction;
        return;
      } catch (error) {
        if (error instanceof StartError) throw error;
        if (isPermanent(error) || performance.now() + pause > deadline || this.#closed) throw startError(error);
        if (!told) this.options.onWaiting(`The database does not answer (${wordsOf(error)}): waiting for it.`);
        told = true;
      }
      await Bun.sleep(pause);
    }
  }

  async #read<Result>(ask: (sql: SQL) => Promise<Result>): Promise<Result> {
    if (this.#writes.writeFunction === undefined || this.#closed) throw new Failure('not_ready');
    if (this.#reading >= maxReads) throw new Failure('overloaded');
    this.#reading++;
    try {
      const answer = await this.#reads.read(ask);
      this.#lookSometimes();
      return answer;
    } catch (cause) {
      throw reading(cause);
    } finally {
      this.#reading--;
    }
  }

  /** Now and then behind a read, so that an idle instance keeps no connection for it. */
  #lookSometimes(): void {
    const now = performance.now();
    if (now - this.#lookedAt < lookMs) return;
    this.#lookedAt = now;
    // What cannot be asked now is asked behind a later read.
    this.#look().catch(() => {});
  }

  /**
   * Which change the state includes that clients are shown, and whether all that they were shown before is still there: of a
   * history that was lost, the next change may be made by an instance that does not know.
   */
  async #look(): Promise<void> {
    const { shown } = this.#noticed;
    const [row] = await this.#reads.read((sql) => sql.unsafe(lookStatement, [JSON.stringify(shown)]).values());
    const [newest, lacking] = (row ?? []) as [Shown | null, string];
    if (Number(lacking) > 0) {
      const check = [encodeBatch([], shown)];
      const [told] = await this.#reads.read((sql) =>
        sql.unsafe(`select ${this.#writes.writeFunction}($1)`, check).values(),
      );
      this.#noticed.acknowledged(JSON.parse(String(told?.[0])) as BatchResult);
    } else if (newest !== null) this.#noticed.confirm(newest);
  }

  /** One snapshot for the whole list, read by key as its reader has room. */
  async *#parts(collection: Collection, deadline: number): AsyncGenerator<Bytes, void> {
    const { page, encode } = this.#table(collection);
    const connection = await this.#lists.reserve(deadline).catch((error) => {
      throw reading(error);
    });
    // Up to the first part it is one request with one deadline; from there on each part has its own.
    let until = deadline;
    const ask = async <Result>(answer: Promise<Result>): Promise<Result> => {
      try {
        return await inTime(answer, until);
      } catch (error) {
        // It may be in the middle of an answer, and is of no use to anybody else.
        if (error instanceof Unanswered) connection.close();
        throw reading(error);
      }
    };
    try {
      await ask(connection`begin isolation level repeatable read read only`.values());
      let lead = '[';
      for (let last = '0'; ; ) {
        const rows: Columns[] = await ask(connection.unsafe(page, [last, rowsPerPart, bytesPerPart]).values());
        if (rows.length === 0) break;
        yield encoder.encode(lead + rows.map(encode).join(','));
        lead = ',';
        last = String(rows.at(-1)?.at(-2));
        until = performance.now() + this.options.timeoutMs;
      }
      yield encoder.encode(lead === '[' ? '[]' : ']');
    } finally {
      // Inside a transaction the connection is closed and not handed on, which ends the snapshot.
      this.#lists.release(connection);
    }
  }
}

/** Columns come in the declared order; an int8 comes as its digits, which are written as they are. */
function openTable(collection: Collection) {
  const keys = Object.keys(collection.fields);
  function encode(row: Columns): string {
    const record: Record<string, string | number> = {};
    for (let index = 0; index < keys.length; index++) record[keys[index] ?? ''] = row[index] ?? '';
    return collection.encode(record as unknown as Row);
  }
  function decode(seq: number, stored: Columns): Stored {
    const [version, createdAt, updatedAt] = stored.slice(keys.length);
    return collection.record.decode({ seq, version, createdAt, updatedAt }, stored);
  }
  return { ...readStatements(collection), dialect: dialectOf(collection), encode, decode };
}

/** Of rows that were bounded, and asked for with one more than the limit. */
function hasMore(rows: readonly Columns[], limit: number): boolean {
  return rows.length > limit || Number(rows[0]?.at(-1) ?? 0) > rows.length;
}

/** What a read that failed is answered with. */
function reading(cause: unknown): unknown {
  return isPassing(cause) ? new Failure('not_ready', { cause }) : cause;
}

function lossNotice(lacked: number, next: number): string {
  return (
    `The database lacks change ${lacked}, which clients of this instance have seen: a failover or a restore has lost it. ` +
    `A new epoch begins: ids, change numbers and versions go on behind ${next}.`
  );
}

function unexpected(): Error {
  return new Error('the database answered with what was not asked');
}

function startError(error: unknown): StartError {
  return new StartError(`Cannot use the database (${wordsOf(error)}): check --database and that its server runs.`);
}
