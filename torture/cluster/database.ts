/** The three machines of the database as one: who leads, and is everything well. */
import { SQL } from 'bun';
import type { Member } from './member.ts';

const pollMs = 50;
/** Attempts and not time: the machine that all of this runs on may be suspended. */
const maxAttempts = 3600;
/** A switchover takes as long as the shutdown of the leader. */
const switchMs = 60_000;
/** Together longer than the `loop_wait` of Patroni. */
const [wellTimes, wellPauseMs] = [4, 1000];
/** Attempts until a member that does not come back is copied anew. */
const patience = 600;
const working = ['running', 'streaming'];

type ClusterState = {
  readonly members: readonly {
    readonly name: string;
    readonly role: string;
    readonly state: string;
    readonly timeline?: number;
    readonly lag?: number | string;
  }[];
};

export class Database {
  constructor(readonly members: readonly Member[]) {}

  async start(): Promise<void> {
    for (const member of this.members) member.startEtcd();
    for (const member of this.members) member.startPatroni();
    await this.untilWell();
  }

  /** Undefined also while a former leader believes that it still leads. */
  async leader(): Promise<Member | undefined> {
    const leads = await Promise.all(this.members.map((member) => member.isLeader()));
    const leaders = this.members.filter((_, index) => leads[index]);
    return leaders.length === 1 ? leaders[0] : undefined;
  }

  /** Waits for a leader that is not `former`. */
  async untilLed(former?: Member): Promise<Member> {
    return until('no leader', async () => {
      const leader = await this.leader();
      return leader === former ? undefined : leader;
    });
  }

  /**
   * Waits until there is a leader, a synchronous standby, and no member that lags behind, and until that lasts: a former leader
   * that continues still shows what it knew. A fault without a synchronous standby would leave nobody who may lead.
   */
  async untilWell(): Promise<void> {
    let seen: ClusterState | undefined;
    let failures = 0;
    await until(
      'the cluster has not recovered',
      async () => {
        for (let times = 0; times < wellTimes; times++) {
          if (times > 0) await Bun.sleep(wellPauseMs);
          const leader = await this.leader();
          const answer = await leader?.ask('/cluster');
          if (answer?.ok !== true) return undefined;
          seen = (await answer.json()) as ClusterState;
          if (!isWell(seen, leader?.name, this.members.length)) {
            if (++failures % patience === 0) await this.#reinitialize(seen);
            return undefined;
          }
        }
        return true;
      },
      () => JSON.stringify(seen),
    );
  }

  /** As an operator does with a standby that Patroni cannot repair: its data are copied anew. */
  async #reinitialize({ members }: ClusterState): Promise<void> {
    for (const { name, state } of members.filter(
      (member) => !working.includes(member.state) && member.role !== 'leader',
    )) {
      process.stdout.write(`${name} is copied anew, because it is still in the state "${state}"\n`);
      const member = this.members.find((one) => one.name === name);
      await member?.ask('/reinitialize', { method: 'POST', body: '{"force":true}' });
    }
  }

  async switchOver(): Promise<void> {
    const from = await this.untilLed();
    await until('no switchover', async () => {
      const body = JSON.stringify({ leader: from.name });
      const answer = await from.ask('/switchover', { method: 'POST', body }, switchMs);
      return answer?.ok === true || undefined;
    });
  }

  /** With a role of the same name that owns it. */
  async createDatabase(name: string): Promise<void> {
    const leader = await this.untilLed();
    const sql = new SQL({ url: leader.databaseUrl, max: 1 });
    // A superuser would also take the connections that PostgreSQL keeps for Patroni.
    await sql.unsafe(`create role ${name} login`);
    await sql.unsafe(`create database ${name} owner ${name}`);
    await sql.close();
  }
}

function isWell({ members }: ClusterState, leader: string | undefined, count: number): boolean {
  const of = (role: string) => members.filter((member) => member.role === role);
  const timelines = new Set(members.map(({ timeline }) => timeline));
  const current = members.filter(({ state, lag = 0 }) => working.includes(state) && lag === 0);
  return (
    current.length === count &&
    of('leader').length === 1 &&
    of('leader')[0]?.name === leader &&
    of('sync_standby').length === 1 &&
    timelines.size === 1
  );
}

async function until<Result>(
  otherwise: string,
  attempt: () => Promise<Result | undefined>,
  details: () => string | undefined = () => undefined,
): Promise<Result> {
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    const result = await attempt();
    if (result !== undefined) return result;
    await Bun.sleep(pollMs);
  }
  throw new Error(`${otherwise} after ${maxAttempts} attempts ${details() ?? ''}`);
}
