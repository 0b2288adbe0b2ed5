/** Lists of whole collections: a short list in one statement, a long one in parts from one snapshot. */
import type { Bytes } from '../../../domain/bytes.ts';
import type { Client } from '../../../domain/store/client.ts';
import type { Listing } from '../../../domain/store/listing.ts';
import type { Trace } from '../../../domain/trace.ts';
import type { SpoolLimits } from '../../bulk/spool-limits.ts';
import { Unanswered } from '../connect/errors.ts';
import { type Pool, withDeadline } from '../connect/pool.ts';
import type { Replicas } from '../standby/replicas.ts';
import type { Columns } from '../statements/columns.ts';
import type { Table } from '../statements/table.ts';
import { LongLists } from './long-lists.ts';
import { type Query, readFailure } from './queries.ts';

/** A list of at most this size is read in one statement. */
const short = { rows: 2000, bytes: 1024 * 1024 };
const part = { rows: 500, bytes: 256 * 1024 };

const encoder = new TextEncoder();

type Statement = { readonly text: string; readonly parameters: readonly unknown[] };

export type ListsOptions = {
  readonly query: Query;
  readonly replicas: Replicas | undefined;
  /** For long lists only: a slow reader occupies a connection. */
  readonly pool: Pool;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly spoolLimits: SpoolLimits;
};

export class Lists {
  readonly #long: LongLists;

  constructor(readonly options: ListsOptions) {
    this.#long = new LongLists(options.spoolLimits, options.connections);
  }

  async list(table: Table, trace?: Trace): Promise<Listing> {
    const { query, timeoutMs } = this.options;
    const deadline = performance.now() + timeoutMs;
    const rows = await query(table.page, [0, short.rows + 1, short.bytes], trace);
    if (Number(rows[0]?.at(-1) ?? 0) > Math.min(rows.length, short.rows))
      return { tag: undefined, size: undefined, parts: (client) => this.#listParts(table, client, deadline) };
    const bytes = encoder.encode(`[${rows.map(table.encode).join(',')}]`);
    return { tag: Bun.hash(bytes).toString(36), size: bytes.length, parts: () => [bytes].values() };
  }

  /**
   * Parts of one snapshot. `after` is the statement that follows these rows, undefined at the end. The next part is read when the reader asks for it
   * (backpressure).
   */
  stream(
    client: Client,
    first: Statement,
    after: (rows: readonly Columns[]) => Statement | undefined,
    encode: (rows: readonly Columns[]) => Bytes,
    deadline = performance.now() + this.options.timeoutMs,
  ): AsyncGenerator<Bytes, void> {
    const rows = (connecting: () => void) => this.#rows(first, after, deadline, connecting);
    return this.#long.parts(client, async function* (connecting) {
      for await (const some of rows(connecting)) yield encode(some);
    });
  }

  async *#listParts({ page, encode }: Table, client: Client, deadline: number): AsyncGenerator<Bytes, void> {
    let lead = '[';
    const after = (rows: readonly Columns[]) =>
      rows.length === 0 ? undefined : { text: page, parameters: [String(rows.at(-1)?.at(-2)), part.rows, part.bytes] };
    yield* this.stream(
      client,
      { text: page, parameters: [0, part.rows, part.bytes] },
      after,
      (rows) => {
        const text = rows.length === 0 ? (lead === '[' ? '[]' : ']') : lead + rows.map(encode).join(',');
        lead = ',';
        return encoder.encode(text);
      },
      deadline,
    );
  }

  async *#rows(
    first: Statement,
    after: (rows: readonly Columns[]) => Statement | undefined,
    deadline: number,
    connecting: () => void,
  ): AsyncGenerator<readonly Columns[], void> {
    const { timeoutMs, replicas } = this.options;
    const snapshot = await replicas?.open(first, deadline).catch((error) => {
      throw readFailure(error);
    });
    const pool = snapshot?.pool ?? this.options.pool;
    const reserve = () => {
      connecting();
      return pool.reserve(deadline).catch((error) => {
        throw readFailure(error);
      });
    };
    const connection = snapshot?.connection ?? (await reserve());
    // All statements up to the first part share the deadline of the request; each later part has its own.
    let until = deadline;
    const ask = async <Result>(answer: Promise<Result>): Promise<Result> => {
      try {
        return await withDeadline(answer, until);
      } catch (error) {
        // The answer may still arrive on this connection, so it cannot be reused.
        if (error instanceof Unanswered) connection.close();
        throw readFailure(error);
      }
    };
    try {
      const read = ({ text, parameters }: Statement): Promise<Columns[]> =>
        ask(connection.unsafe(text, [...parameters]).values());
      if (snapshot === undefined) await ask(connection`begin isolation level repeatable read read only`.values());
      let rows = snapshot?.rows ?? (await read(first));
      for (;;) {
        yield rows;
        const next = after(rows);
        if (next === undefined) return;
        until = performance.now() + timeoutMs;
        rows = await read(next);
      }
    } finally {
      // A connection inside a transaction is closed and not reused, which ends the snapshot.
      pool.release(connection);
    }
  }
}
