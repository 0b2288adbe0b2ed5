/** Lists of whole collections: a short list in one statement, a long one in parts from one snapshot. */
import type { Bytes } from '../../../domain/bytes.ts';
import type { Client } from '../../../domain/store/client.ts';
import type { Listing } from '../../../domain/store/listing.ts';
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

  async list(table: Table): Promise<Listing> {
    const { query, timeoutMs } = this.options;
    const deadline = performance.now() + timeoutMs;
    const rows = await query(table.page, [0, short.rows + 1, short.bytes]);
    if (Number(rows[0]?.at(-1) ?? 0) > Math.min(rows.length, short.rows)) {
      const parts = (client: Client) =>
        this.#long.parts(client, (connecting) => this.#parts(table, deadline, connecting));
      return { tag: undefined, size: undefined, parts };
    }
    const bytes = encoder.encode(`[${rows.map(table.encode).join(',')}]`);
    return { tag: Bun.hash(bytes).toString(36), size: bytes.length, parts: () => [bytes].values() };
  }

  /** Reads the next part only when the reader asks for it (backpressure). */
  async *#parts({ page, encode }: Table, deadline: number, connecting: () => void): AsyncGenerator<Bytes, void> {
    const { timeoutMs, replicas } = this.options;
    const first = [0, part.rows, part.bytes];
    const snapshot = await replicas?.open({ text: page, parameters: first }, deadline).catch((error) => {
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
      const read = (parameters: unknown[]): Promise<Columns[]> => ask(connection.unsafe(page, parameters).values());
      if (snapshot === undefined) await ask(connection`begin isolation level repeatable read read only`.values());
      let rows = snapshot?.rows ?? (await read(first));
      for (let lead = '['; ; lead = ',') {
        if (rows.length === 0) {
          yield encoder.encode(lead === '[' ? '[]' : ']');
          return;
        }
        yield encoder.encode(lead + rows.map(encode).join(','));
        until = performance.now() + timeoutMs;
        rows = await read([String(rows.at(-1)?.at(-2)), part.rows, part.bytes]);
      }
    } finally {
      // A connection inside a transaction is closed and not reused, which ends the snapshot.
      pool.release(connection);
    }
  }
}
