/** How long a round was without writes: in Shelf, in PostgreSQL itself, and without a leader of Patroni. */
import { SQL } from 'bun';
import type { Operation } from '../history/clients/operation.ts';
import type { Database } from './database.ts';
import type { Member } from './member.ts';

const pauseMs = 50;
const patienceMs = 1000;
const probeName = 'probe';
const writes = ['create', 'update', 'delete', 'remove'];

export type Round = {
  readonly fault: string;
  /** The longest time between two acknowledged writes, in milliseconds. */
  readonly withoutWrites: number;
  /** The longest time between two commits of a client that knows every server, and needs no answer about the others. */
  readonly withoutCommits: number;
  /** From the fault to another leader; undefined if the leader stayed. */
  readonly failover: number | undefined;
};

/** Commits on whichever server accepts it, all the time. */
export class CommitProbe {
  readonly #committed: number[] = [];
  #stopped = false;

  constructor(members: readonly Member[]) {
    for (const member of members) void this.#commit(member.databaseUrl);
  }

  stop(): void {
    this.#stopped = true;
  }

  longestGap(from: number, to: number): number {
    return longestGap(this.#committed, from, to);
  }

  async #commit(url: string): Promise<void> {
    while (!this.#stopped) {
      const connection = { application_name: probeName };
      const sql = new SQL({ url, max: 1, connectionTimeout: 1, connection });
      try {
        // A commit that waits for a standby keeps its session, also when its client has gone.
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = ${probeName} and pid <> pg_backend_pid()`;
        while (!this.#stopped) {
          const commit = sql`select pg_logical_emit_message(true, 'probe', '')`.values();
          commit.catch(() => {});
          const late = Bun.sleep(patienceMs).then(() => 'late');
          if ((await Promise.race([commit, late])) === 'late') break;
          this.#committed.push(performance.now());
          await Bun.sleep(pauseMs);
        }
      } catch {
        // A standby, or no server: another one may accept it.
      }
      sql.close({ timeout: 0 }).catch(() => {});
      await Bun.sleep(pauseMs);
    }
  }
}

/** Notes when another member than `former` leads, until `end`. */
export function watchFailover(database: Database, former: Member | undefined) {
  const began = performance.now();
  let failover: number | undefined;
  let ended = false;
  const watching = (async () => {
    while (!ended && failover === undefined) {
      const leader = await database.leader();
      if (leader !== undefined && leader !== former) failover = performance.now() - began;
      await Bun.sleep(pauseMs);
    }
  })();
  return async () => {
    ended = true;
    await watching;
    return failover;
  };
}

export function writeTimes(operations: readonly Operation[]): number[] {
  return operations
    .filter(({ request, outcome }) => writes.includes(request.kind) && outcome.kind === 'ok')
    .map(({ answered }) => answered);
}

/** Between two moments of which one is within the time. */
export function longestGap(moments: readonly number[], from: number, to: number): number {
  const sorted = moments.toSorted((left, right) => left - right);
  const gaps = sorted.map((moment, index) => {
    const next = sorted[index + 1] ?? to;
    return next < from || moment > to ? 0 : next - moment;
  });
  return Math.max(0, ...gaps);
}
