/** One standby that serves reads. It is left out while it does not answer, lags, or shows more than the primary. */
import type { ReservedSQL } from 'bun';
import { fixedServer } from '../connect/current-server.ts';
import { Unanswered } from '../connect/errors.ts';
import { Pool, type PoolOptions, withDeadline } from '../connect/pool.ts';
import { addressOf } from '../connect/servers.ts';
import {
  agrees,
  type Position,
  positionStatement,
  reaches,
  rowsIn,
  type Seen,
  seenIn,
  wantedOf,
  withPosition,
} from '../primary/position.ts';
import { PositionQuery } from '../primary/position-query.ts';
import type { Columns } from '../statements/columns.ts';
import { OtherCluster, UnservedRead, unservedRead } from './unserved-read.ts';

export type ReplicaOptions = Omit<PoolOptions, 'server' | 'giveUpOn'> & {
  /** Called when the standby is left out, with the reason, and when it is used again, without one. */
  readonly onTurn: (address: string, reason: string | undefined) => void;
};

export type Statement = { readonly text: string; readonly parameters: readonly unknown[] };

export type Bounds = {
  /** What the primary showed when the read began: the read must include it. */
  readonly primary: Position;
  /** Resolves when the primary shows everything that the read saw. Rejects with UnservedRead if it does not soon. */
  readonly confirm: (seen: Seen) => Promise<void>;
  readonly deadline: number;
};

/** The first rows of a snapshot, and the connection that has it open. */
export type Snapshot = { readonly rows: Columns[]; readonly connection: ReservedSQL; readonly pool: Pool };

/** How long reads wait for a standby that lags. */
const lagMs = 100;
const lagPauseMs = 2;
/** A standby that takes longer is asked for its position, which it answers while it works on long reads. */
const silenceMs = 500;

/** $1: the write function, which is created together with the tables that it writes. */
const identityStatement = `select (select system_identifier::text from pg_control_system()),
  to_regprocedure($1::text || '(text)') is not null`;

export class Replica {
  readonly address: string;
  readonly lists: Pool;
  /** Reads that were answered from here. */
  answered = 0;
  isUsed = false;
  checkedAt = Number.NEGATIVE_INFINITY;
  #levelAt = performance.now();
  #reason: string | undefined;
  readonly #reads: Pool;
  /** A connection of its own, so that long reads do not delay it. */
  readonly #status: Pool;
  readonly #position: PositionQuery;

  constructor(
    server: string,
    readonly options: ReplicaOptions,
  ) {
    const shared = { ...options, server: fixedServer(server), giveUpOn: 'statement_timeout' } as const;
    this.address = addressOf(server);
    this.#reads = new Pool(shared);
    this.lists = new Pool(shared);
    this.#status = new Pool({ ...shared, max: 1 });
    this.#position = new PositionQuery(async (wanted) => {
      const [row = []] = await this.#ask(positionStatement, wantedOf(wanted));
      return seenIn(row);
    });
  }

  /** Seconds since it last had all changes; 0 while it is used. */
  get lagSeconds(): number {
    return this.isUsed ? 0 : (performance.now() - this.#levelAt) / 1000;
  }

  get inFlight(): number {
    return this.#reads.used;
  }

  leaveOut(reason: string): void {
    if (this.isUsed) this.#levelAt = performance.now();
    this.isUsed = false;
    if (reason === this.#reason) return;
    this.#reason = reason;
    this.options.onTurn(this.address, reason);
  }

  /** Uses the standby if it can serve reads now; rejects with UnservedRead or OtherCluster if it cannot. */
  async check(system: string, writeFunction: string, bounds: Bounds): Promise<void> {
    try {
      const [[own, isMigrated] = []] = await this.#ask(identityStatement, writeFunction);
      if (own !== system) throw new OtherCluster();
      if (isMigrated !== true) throw new UnservedRead('it lacks the tables of this version');
      await bounds.confirm(await this.#reach(bounds.primary));
    } catch (error) {
      throw unservedRead(error);
    }
    this.#levelAt = performance.now();
    if (this.isUsed) return;
    this.isUsed = true;
    this.#reason = undefined;
    this.options.onTurn(this.address, undefined);
  }

  /** Rejects with UnservedRead. */
  async read({ text, parameters }: Statement, bounds: Bounds): Promise<Columns[]> {
    const { primary, confirm, deadline } = bounds;
    const [whole, values] = positioned(text, parameters, primary);
    const send = () => this.#reads.query((sql) => sql.unsafe(whole, values).values(), deadline);
    try {
      let { rows, seen } = readOf(await this.#whileAlive(send()));
      if (!isLevel(seen, primary)) {
        await this.#reach(primary);
        ({ rows, seen } = readOf(await this.#whileAlive(send())));
        if (!isLevel(seen, primary)) throw lags();
      }
      await confirm(seen);
      return rows;
    } catch (error) {
      throw unservedRead(error);
    }
  }

  /** Rejects with UnservedRead. The caller releases the connection. */
  async open({ text, parameters }: Statement, { primary, confirm, deadline }: Bounds): Promise<Snapshot> {
    let connection: ReservedSQL | undefined;
    try {
      // A list is too long to read it in vain.
      await this.#reach(primary);
      const reserved = await this.lists.reserve(Math.min(deadline, performance.now() + silenceMs));
      connection = reserved;
      await this.#whileAlive(reserved`begin isolation level repeatable read read only`.values());
      const answer = reserved.unsafe(...positioned(text, parameters, primary)).values();
      const { rows, seen } = readOf(await this.#whileAlive(withDeadline(answer, deadline)));
      if (!isLevel(seen, primary)) throw lags();
      await confirm(seen);
      return { rows, connection, pool: this.lists };
    } catch (error) {
      if (connection !== undefined) {
        // Its answer may still arrive.
        if (error instanceof Unanswered || error instanceof UnservedRead) connection.close();
        this.lists.release(connection);
      }
      throw unservedRead(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#reads, this.lists, this.#status].map((pool) => pool.close()));
  }

  /** A question about the standby itself, which it answers soon. */
  async #ask(statement: string, parameter: string): Promise<Columns[]> {
    const deadline = performance.now() + Math.min(silenceMs, this.options.timeoutMs / 2);
    try {
      return await this.#status.query((sql) => sql.unsafe(statement, [parameter]).values(), deadline);
    } catch (error) {
      throw error instanceof Unanswered ? silent() : error;
    }
  }

  /** Waits until the standby has everything that the primary showed. */
  async #reach(primary: Position): Promise<Seen> {
    const until = performance.now() + lagMs;
    for (;;) {
      const seen = await this.#position.ask(primary.newest);
      if (isLevel(seen, primary)) return seen;
      if (performance.now() > until) throw lags();
      await Bun.sleep(lagPauseMs);
    }
  }

  /** Rejects if the standby stops answering before `answer` is there. */
  async #whileAlive<Result>(answer: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const settled = answer.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {});
    for (;;) {
      const timer = Promise.withResolvers<undefined>();
      const timeout = setTimeout(timer.resolve, Math.min(silenceMs, this.options.timeoutMs / 4));
      await Promise.race([settled, timer.promise]).finally(() => clearTimeout(timeout));
      if (isSettled) return settled;
      await this.#position.ask();
    }
  }
}

const lags = () => new UnservedRead('it lags');
const silent = () => new UnservedRead('it does not answer');

function positioned(text: string, parameters: readonly unknown[], { newest }: Position): [string, unknown[]] {
  return [withPosition(text, parameters.length), [...parameters, wantedOf([newest])]];
}

function readOf(rows: readonly Columns[]): { readonly rows: Columns[]; readonly seen: Seen } {
  return { rows: rowsIn(rows), seen: seenIn(rows[0] ?? []) };
}

/** False if the standby has to catch up. Throws UnservedRead if it follows another server than this primary, or none. */
function isLevel(seen: Seen, primary: Position): boolean {
  if (!seen.isStandby) throw new UnservedRead('it is not a standby');
  if (!reaches(seen, primary)) return false;
  if (!agrees(seen, primary)) throw new UnservedRead('its changes are not those of the primary');
  return true;
}
