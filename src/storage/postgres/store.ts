/** Many instances, one truth: every read and write goes to PostgreSQL, and nothing is kept here. */
import type { SQL } from 'bun';
import type { Collection, Row } from '../../domain/collection.ts';
import { Failure, StartError } from '../../domain/errors.ts';
import type { Bytes, Listing, Store } from '../../domain/store.ts';
import { CommitQueue } from '../commit-queue.ts';
import { isPassing, isPermanent, leavesUnknown, Unanswered, wordsOf } from './errors.ts';
import { inTime, Pool } from './pool.ts';
import { migrate } from './schema.ts';
import { readStatements } from './sql.ts';

export type PostgresOptions = {
  readonly url: string;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly waitMs: number;
  readonly prepare: boolean;
  /** Told once, when the database does not answer at the start. */
  readonly onWaiting: (line: string) => void;
};

/** A list of no more rows than this is one statement. */
const rowsAtOnce = 2000;
/** Of a longer one. */
const rowsPerPart = 500;
/** Requests that may wait for the database at once. */
const maxReads = 10_000;
const retryAfter = { 'Retry-After': '1' };

const encoder = new TextEncoder();

type Change = { readonly to: string; readonly add: string } | { readonly to: string; readonly remove: bigint };
type Write = { readonly change: Change; state: 'waiting' | 'sent' | 'given up' };
type Stored = (string | number)[];

export class PostgresStore implements Store {
  /** Resolves when the database is in shape; rejects with a StartError when it cannot be brought there. */
  readonly ready: Promise<void>;
  readonly #reads: Pool;
  readonly #writes: Pool;
  /** A slow reader of a long list keeps a connection, and must not keep one from anybody else. */
  readonly #lists: Pool;
  readonly #tables: ReadonlyMap<string, ReturnType<typeof openTable>>;
  readonly #queue = new CommitQueue<Write, number>((writes) => this.#commit(writes));
  #writeFunction: string | undefined;
  #reading = 0;
  #closed = false;

  constructor(
    readonly options: PostgresOptions,
    readonly collections: readonly Collection[],
  ) {
    const { connections } = options;
    this.#tables = new Map(collections.map((collection) => [collection.name, openTable(collection)]));
    this.#reads = new Pool({ ...options, max: connections });
    this.#writes = new Pool({ ...options, max: 1 });
    this.#lists = new Pool({ ...options, max: connections });
    this.ready = this.#start();
    this.ready.catch(() => {});
  }

  async list(collection: Collection): Promise<Listing> {
    const { page, encode } = this.#table(collection);
    const rows: Stored[] = await this.#read((sql) => sql.unsafe(page, [0, rowsAtOnce + 1]).values());
    if (rows.length > rowsAtOnce) {
      return { tag: undefined, size: undefined, parts: () => this.#parts(collection) };
    }
    const bytes = encoder.encode(`[${rows.map(encode).join(',')}]`);
    return { tag: Bun.hash(bytes).toString(36), size: bytes.length, parts: () => [bytes].values() };
  }

  async find(collection: Collection, id: bigint): Promise<Bytes | undefined> {
    const { find, encode } = this.#table(collection);
    const [row] = await this.#read((sql) => sql.unsafe(find, [String(id)]).values());
    return row === undefined ? undefined : encoder.encode(encode(row));
  }

  async append({ name }: Collection, _row: Row, json: string): Promise<void> {
    await this.#submit({ to: name, add: json });
  }

  async remove({ name }: Collection, id: bigint): Promise<boolean> {
    return (await this.#submit({ to: name, remove: id })) !== 0;
  }

  async count(collection: Collection): Promise<number> {
    const [row] = await this.#read((sql) => sql.unsafe(this.#table(collection).count).values());
    return Number(row?.[0] ?? 0);
  }

  async ping(): Promise<void> {
    await this.#read((sql) => sql`select 1`.values());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.drain();
    await Promise.all([this.#reads.close(), this.#writes.close(), this.#lists.close()]);
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
        this.#writeFunction = await this.#writes.once((sql) => migrate(sql, this.collections), soon);
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
    if (this.#writeFunction === undefined || this.#closed)
      throw new Failure('not_ready', undefined, { headers: retryAfter });
    if (this.#reading >= maxReads) throw new Failure('overloaded', undefined, { headers: retryAfter });
    this.#reading++;
    try {
      return await this.#reads.read(ask);
    } catch (cause) {
      throw isPassing(cause) ? new Failure('not_ready', undefined, { cause, headers: retryAfter }) : cause;
    } finally {
      this.#reading--;
    }
  }

  /** Answered in its time, wherever in the queue it is then. */
  async #submit(change: Change): Promise<number> {
    if (this.#writeFunction === undefined) throw new Failure('storage_unavailable', undefined, { headers: retryAfter });
    const write: Write = { change, state: 'waiting' };
    try {
      const outcome = await inTime(this.#queue.submit(write), performance.now() + this.options.timeoutMs);
      if (outcome < 0) throw new Error('the database refused this write');
      return outcome;
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      const code = write.state === 'sent' ? 'outcome_unknown' : 'storage_unavailable';
      write.state = 'given up';
      throw new Failure(code, undefined, { cause: error, headers: retryAfter });
    }
  }

  async #commit(writes: readonly Write[]): Promise<number[]> {
    const outcomes = await this.#apply(writes);
    if (outcomes !== undefined) return outcomes;
    // One of them is at fault, and must not fail its neighbours.
    const alone: number[] = [];
    for (const write of writes) alone.push((await this.#apply([write]))?.[0] ?? -1);
    return alone;
  }

  /** One statement, and so one commit, for all of them. Undefined when the database has refused what is in it. */
  async #apply(writes: readonly Write[]): Promise<number[] | undefined> {
    const deadline = performance.now() + this.options.timeoutMs;
    for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
      let sent = false;
      try {
        return await this.#writes.once(async (sql) => {
          // With a connection in hand, whatever fails afterwards has failed after the batch was sent.
          using connection = await sql.reserve();
          sent = true;
          // What was given up has been answered with "nothing was changed", and that must stay true.
          const current = writes.filter(({ state }) => state !== 'given up');
          for (const write of current) write.state = 'sent';
          const batch = encodeBatch(current.map(({ change }) => change));
          const [row] = await connection.unsafe(`select ${this.#writeFunction}($1)`, [batch]).values();
          const [outcomes = []] = (row ?? []) as Iterable<string | number>[];
          const numbers = Array.from(outcomes, Number);
          return writes.map((write) => (current.includes(write) ? (numbers.shift() ?? -1) : 0));
        }, deadline);
      } catch (cause) {
        if (sent && leavesUnknown(cause))
          throw new Failure('outcome_unknown', undefined, { cause, headers: retryAfter });
        if (!isPassing(cause)) return undefined;
        if (performance.now() + pause > deadline)
          throw new Failure('storage_unavailable', undefined, { cause, headers: retryAfter });
        for (const write of writes) if (write.state === 'sent') write.state = 'waiting';
      }
      await Bun.sleep(pause);
    }
  }

  /** One snapshot for the whole list, read by key as its reader has room. */
  async *#parts(collection: Collection): AsyncGenerator<Bytes, void> {
    const { page, encode } = this.#table(collection);
    const { timeoutMs } = this.options;
    const within = <Result>(ask: (sql: SQL) => Promise<Result>) => this.#lists.once(ask, performance.now() + timeoutMs);
    const connection = await within((sql) => sql.reserve());
    try {
      await within(() => connection`begin isolation level repeatable read read only`);
      let lead = '[';
      for (let last = '0'; ; ) {
        const from = last;
        const rows: Stored[] = await within(() => connection.unsafe(page, [from, rowsPerPart]).values());
        if (rows.length === 0) break;
        yield encoder.encode(lead + rows.map(encode).join(','));
        lead = ',';
        last = String(rows.at(-1)?.at(-1));
      }
      yield encoder.encode(lead === '[' ? '[]' : ']');
    } finally {
      // Inside a transaction the connection is closed and not handed on, which ends the snapshot.
      connection.release();
    }
  }
}

/** Columns come in the declared order; an int8 comes as its digits, which are written as they are. */
function openTable(collection: Collection) {
  const keys = Object.keys(collection.fields);
  function encode(row: Stored): string {
    const record: Record<string, string | number> = {};
    for (let index = 0; index < keys.length; index++) record[keys[index] ?? ''] = row[index] ?? '';
    return collection.encode(record as unknown as Row);
  }
  return { ...readStatements(collection), encode };
}

/** Runs of additions to one collection go together. */
function encodeBatch(changes: readonly Change[]): string {
  const runs: string[] = [];
  let adding = '';
  let rows: string[] = [];
  function endRun(): void {
    if (rows.length > 0) runs.push(`{"to":"${adding}","add":[${rows.join(',')}]}`);
    rows = [];
  }
  for (const change of changes) {
    if (!('add' in change) || change.to !== adding) endRun();
    if ('add' in change) {
      adding = change.to;
      rows.push(change.add);
    } else runs.push(`{"to":"${change.to}","remove":${change.remove}}`);
  }
  endRun();
  return `[${runs.join(',')}]`;
}

function startError(error: unknown): StartError {
  return new StartError(`Cannot use the database (${wordsOf(error)}): check --database and that its server runs.`);
}
