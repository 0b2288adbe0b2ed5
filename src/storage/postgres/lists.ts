/** Lists of whole collections: a short list in one statement, a long one in parts from one snapshot. */
import type { Bytes } from '../../domain/bytes.ts';
import type { Listing } from '../../domain/store.ts';
import type { Room } from '../room.ts';
import { Unanswered } from './errors.ts';
import { LongLists } from './long-lists.ts';
import { type Pool, withDeadline } from './pool.ts';
import { type Ask, readFailure } from './reads.ts';
import type { Columns, Table } from './table.ts';

/** A list of at most this size is read in one statement. */
const short = { rows: 2000, bytes: 1024 * 1024 };
const part = { rows: 500, bytes: 256 * 1024 };

const encoder = new TextEncoder();

export type ListsOptions = {
  readonly ask: Ask;
  /** For long lists only: a slow reader occupies a connection. */
  readonly pool: Pool;
  readonly connections: number;
  readonly timeoutMs: number;
  readonly room: Room;
};

export class Lists {
  readonly #long: LongLists;

  constructor(readonly options: ListsOptions) {
    const { room, pool, connections } = options;
    this.#long = new LongLists(room, () => pool.used < connections);
  }

  async list(table: Table): Promise<Listing> {
    const { ask, timeoutMs } = this.options;
    const deadline = performance.now() + timeoutMs;
    const rows: Columns[] = await ask((sql) => sql.unsafe(table.page, [0, short.rows + 1, short.bytes]).values());
    if (Number(rows[0]?.at(-1) ?? 0) > Math.min(rows.length, short.rows)) {
      const parts = (client: string) => this.#long.parts(client, () => this.#parts(table, deadline));
      return { tag: undefined, size: undefined, parts };
    }
    const bytes = encoder.encode(`[${rows.map(table.encode).join(',')}]`);
    return { tag: Bun.hash(bytes).toString(36), size: bytes.length, parts: () => [bytes].values() };
  }

  /** Reads the next part only when the reader asks for it (backpressure). */
  async *#parts({ page, encode }: Table, deadline: number): AsyncGenerator<Bytes, void> {
    const { pool, timeoutMs } = this.options;
    const connection = await pool.reserve(deadline).catch((error) => {
      throw readFailure(error);
    });
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
      await ask(connection`begin isolation level repeatable read read only`.values());
      let lead = '[';
      for (let last = '0'; ; ) {
        const rows: Columns[] = await ask(connection.unsafe(page, [last, part.rows, part.bytes]).values());
        if (rows.length === 0) break;
        yield encoder.encode(lead + rows.map(encode).join(','));
        lead = ',';
        last = String(rows.at(-1)?.at(-2));
        until = performance.now() + timeoutMs;
      }
      yield encoder.encode(lead === '[' ? '[]' : ']');
    } finally {
      // A connection inside a transaction is closed and not reused, which ends the snapshot.
      pool.release(connection);
    }
  }
}
