/**
 * Reads from standbys that are never stale. A read begins on a standby once that has applied everything that the primary
 * showed when the read arrived, and is answered once the primary shows everything that the read saw: a standby can show a
 * commit that still waits on the primary for another standby. In between, the primary was exactly at the position of the
 * read. One query to the primary serves all reads that wait.
 */
import { StartError } from '../../../domain/errors.ts';
import type { Figures } from '../../../domain/store/figures.ts';
import type { CurrentServer } from '../connect/current-server.ts';
import { type Pool, withDeadline } from '../connect/pool.ts';
import { addressOf } from '../connect/servers.ts';
import { agrees, isSame, positionStatement, reaches, type Seen, seenIn, wantedOf } from '../primary/position.ts';
import { PositionQuery } from '../primary/position-query.ts';
import type { Columns } from '../statements/columns.ts';
import { type Bounds, Replica, type ReplicaOptions, type Snapshot, type Statement } from './replica.ts';
import { OtherCluster, UnservedRead } from './unserved-read.ts';

export type ReplicasOptions = Omit<ReplicaOptions, 'onTurn'> & {
  readonly servers: readonly string[];
  readonly primary: CurrentServer;
  /** Of the primary. */
  readonly pool: Pool;
  readonly onWarning: ((message: string) => void) | undefined;
};

/** How long a read waits for the primary to show what a standby has shown. */
const aheadMs = 100;
const aheadPauseMs = 1;
/** Interval at which a standby that is left out is checked, while there are reads. */
const checkEveryMs = 1000;

const systemStatement = 'select system_identifier::text from pg_control_system()';

export class Replicas {
  readonly #replicas: readonly Replica[];
  readonly #primary: PositionQuery;
  /** The write function; undefined until the database is migrated. */
  #writeFunction: string | undefined;

  constructor(readonly options: ReplicasOptions) {
    const { servers, pool, onWarning } = options;
    this.#replicas = servers.map(
      (server) =>
        new Replica(server, {
          ...options,
          onTurn: (address, reason) => {
            if (reason !== undefined) onWarning?.(`The standby ${address} is left out of reads: ${reason}.`);
            else if (this.#writeFunction !== undefined) onWarning?.(`The standby ${address} serves reads.`);
          },
        }),
    );
    this.#primary = new PositionQuery(async (wanted) => {
      const [row = []]: Columns[] = await pool.read((sql) =>
        sql.unsafe(positionStatement, [wantedOf(wanted)]).values(),
      );
      return seenIn(row);
    });
  }

  /** By address. */
  figures(): Figures['replicas'] {
    this.#checkIfDue();
    return Object.fromEntries(
      this.#others().map(({ address, isUsed, lagSeconds, answered }) => [
        address,
        { isUsed, lagSeconds, reads: answered },
      ]),
    );
  }

  /** Rejects with a StartError if a server belongs to another database cluster. One that is down is left out. */
  async start(writeFunction: string): Promise<void> {
    const others = this.#others();
    const checked = await Promise.all(others.map((replica) => this.#check(replica, writeFunction)));
    const stranger = others.find((_, index) => checked[index] instanceof OtherCluster);
    if (stranger !== undefined)
      throw new StartError(
        `The server ${stranger.address} of --database-replicas is not a standby of the database: it belongs to another database cluster.`,
      );
    this.#writeFunction = writeFunction;
  }

  /** Undefined if the primary has to serve the read. Rejects if the primary does not answer. */
  read(statement: Statement, deadline: number): Promise<Columns[] | undefined> {
    return this.#serve(deadline, this.#leastBusy, (replica, bounds) => replica.read(statement, bounds));
  }

  /** A snapshot that stays open, for a long list. */
  open(statement: Statement, deadline: number): Promise<Snapshot | undefined> {
    return this.#serve(deadline, this.#freeForList, (replica, bounds) => replica.open(statement, bounds));
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  async #serve<Served>(
    deadline: number,
    choose: () => Replica | undefined,
    read: (replica: Replica, bounds: Bounds) => Promise<Served>,
  ): Promise<Served | undefined> {
    this.#checkIfDue();
    if (choose() === undefined) return undefined;
    const primary = await withDeadline(this.#primary.ask(), deadline);
    const replica = choose();
    // A primary that was demoted may lag itself.
    if (replica === undefined || primary.isStandby) return undefined;
    try {
      const served = await read(replica, this.#bounds(primary, deadline));
      replica.answered++;
      return served;
    } catch (error) {
      if (!(error instanceof UnservedRead)) throw error;
      if (error.reason !== undefined) replica.leaveOut(error.reason);
      return undefined;
    }
  }

  #bounds(primary: Seen, deadline: number): Bounds {
    return { primary, deadline, confirm: (seen) => this.#confirm(seen, primary, deadline) };
  }

  async #confirm(seen: Seen, primary: Seen, deadline: number): Promise<void> {
    if (isSame(seen, primary) || isSame(seen, this.#primary.latest)) return;
    const until = performance.now() + aheadMs;
    for (;;) {
      const shown = await withDeadline(this.#primary.ask(seen.newest), deadline).catch(() => {
        // The read on the primary says what is wrong with it.
        throw new UnservedRead(undefined);
      });
      if (reaches(shown, seen)) {
        if (agrees(shown, seen)) return;
        throw new UnservedRead('its changes are not those of the primary');
      }
      if (performance.now() > until) throw new UnservedRead('it shows changes that the primary does not show yet');
      await Bun.sleep(aheadPauseMs);
    }
  }

  /** Without the primary: which server that is changes, so all servers of a cluster may be listed. */
  #others(): readonly Replica[] {
    const primary = addressOf(this.options.primary.url);
    return this.#replicas.filter(({ address, isUsed }) => isUsed || address !== primary);
  }

  readonly #leastBusy = (): Replica | undefined => {
    let best: Replica | undefined;
    for (const replica of this.#replicas) {
      if (!replica.isUsed) continue;
      const { inFlight, answered } = replica;
      if (best === undefined || inFlight < best.inFlight || (inFlight === best.inFlight && answered < best.answered))
        best = replica;
    }
    return best;
  };

  readonly #freeForList = (): Replica | undefined =>
    this.#replicas
      .filter(({ isUsed, lists }) => isUsed && lists.used < this.options.max)
      .toSorted((one, other) => one.lists.used - other.lists.used)[0];

  /** Runs with a read or a look at the figures and not on a timer of its own, so that an idle instance holds no connection. */
  #checkIfDue(): void {
    if (this.#writeFunction === undefined) return;
    const now = performance.now();
    for (const replica of this.#others())
      if (!replica.isUsed && now - replica.checkedAt > checkEveryMs) void this.#check(replica, this.#writeFunction);
  }

  /** Resolves with the reason if the standby is left out. */
  async #check(replica: Replica, writeFunction: string): Promise<UnservedRead | undefined> {
    const { pool, timeoutMs } = this.options;
    replica.checkedAt = performance.now();
    const deadline = replica.checkedAt + timeoutMs;
    try {
      const [[system] = []]: Columns[] = await pool.read((sql) => sql.unsafe(systemStatement).values());
      const primary = await withDeadline(this.#primary.ask(), deadline);
      if (!primary.isStandby) await replica.check(String(system), writeFunction, this.#bounds(primary, deadline));
      return undefined;
    } catch (error) {
      // The primary does not answer: a later check tells.
      if (!(error instanceof UnservedRead)) return undefined;
      if (error.reason !== undefined) replica.leaveOut(error.reason);
      return error;
    }
  }
}
