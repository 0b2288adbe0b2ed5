/**
 * Ends a bulk whose instance is lost. A bulk holds the write lock, and PostgreSQL waits for the rest of a COPY without limit: an
 * instance that is paused or cut off would stop the writes of all others. So an instance with a write that waits looks at the
 * bulk, and ends it once it has waited for its client for half of the timeout.
 */
import { bulkLock } from '../connect/locks.ts';
import type { Pool } from '../connect/pool.ts';

/** Looks per timeout, while a write waits. */
const looks = 10;

/**
 * The bulk, if it waits for its client. `_reached` changes with every message of the client: with a statement `state_change`, with
 * rows of a COPY `bytes_processed`. If two looks find the same, the client has sent nothing in between. PostgreSQL shows
 * both only to its role.
 */
const waitingBulk = `
  select pid, concat_ws(' ', state_change, bytes_processed) as _reached
  from pg_locks join pg_stat_activity using (pid) left join pg_stat_progress_copy using (pid)
  where locktype = 'advisory' and granted and classid = 0 and objid = ${bulkLock} and objsubid = 1
    and pg_locks.database = (select oid from pg_database where datname = current_database())
    and wait_event = 'ClientRead'`;
const terminate = `select pg_terminate_backend(pid) from (${waitingBulk}) as _bulk where pid = $1 and _reached = $2`;

export class LostBulks {
  /** Where the bulk waits for its client, and since when at least. */
  #waiting: { readonly pid: number; readonly reached: string; readonly since: number } | undefined;
  #isLooking = false;

  constructor(
    readonly pool: Pick<Pool, 'once'>,
    readonly timeoutMs: number,
    /** Called when a bulk was ended. */
    readonly onEnded: (message: string) => void,
  ) {}

  /** Looks at intervals until `write` is settled. */
  async during<Result>(write: Promise<Result>): Promise<Result> {
    const timer = setInterval(() => void this.look(), this.timeoutMs / looks);
    try {
      return await write;
    } finally {
      clearInterval(timer);
    }
  }

  /** Call at intervals while a write waits. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#endIfLost();
    } catch {
      // The database does not answer, or the role may not end the bulk. A later look may succeed.
    } finally {
      this.#isLooking = false;
    }
  }

  async #endIfLost(): Promise<void> {
    const sentAt = performance.now();
    const [row] = await this.#ask(waitingBulk);
    if (row === undefined) return;
    const [pid, reached] = [Number(row[0]), String(row[1])];
    const known = this.#waiting;
    if (known?.pid !== pid || known.reached !== reached) {
      this.#waiting = { pid, reached, since: performance.now() };
      return;
    }
    const ms = this.timeoutMs / 2;
    if (sentAt - known.since < ms) return;
    const [ended] = await this.#ask(terminate, [pid, reached]);
    if (ended?.[0] === true)
      this.onEnded(`A bulk was ended: its instance sent nothing for ${ms} ms, and writes waited.`);
  }

  #ask(statement: string, parameters: (string | number)[] = []): Promise<unknown[][]> {
    return this.pool.once((sql) => sql.unsafe(statement, parameters).values(), performance.now() + this.timeoutMs);
  }
}
