/**
 * The threads of one process that serve. The main thread keeps what there is once: tickets, the figures of the last
 * hour, and the log. It has a port to each other thread, over which both ask each other.
 */
import type { Tickets } from '../../domain/tickets.ts';
import type { Figures, LastHour, Tally } from '../../http/observe/last-hour.ts';
import type { Metrics, ThreadMetrics } from '../../http/observe/metrics.ts';
import type { Calls } from '../../threads/calls.ts';
import { type TicketCalls, ticketCalls } from '../../threads/remote-tickets.ts';
import { type LineWriter, writeLog } from '../log/log-writer.ts';

/** Served by each thread but the main one, a member. */
export type MemberCalls = {
  /** Called only with --metrics on. */
  metrics(): Promise<ThreadMetrics>;
  /** What happened since the last call. */
  takeTally(): Tally;
};

/** Served by the main thread. */
export type MainCalls = TicketCalls & {
  metricsOfOthers(): Promise<readonly ThreadMetrics[]>;
  figures(): Figures;
  /** Resolves when the lines are written. */
  writeLog(lines: string): Promise<void>;
};

/** The other threads, for the main thread. */
export class Team {
  readonly #members = new Set<Calls<MemberCalls>>();

  add(member: Calls<MemberCalls>): void {
    this.#members.add(member);
  }

  metrics(except?: Calls<MemberCalls>): Promise<readonly ThreadMetrics[]> {
    const asked = [...this.#members].filter((member) => member !== except);
    return Promise.all(asked.map((member) => member.metrics()));
  }

  tallies(): Promise<readonly Tally[]> {
    return Promise.all([...this.#members].map((member) => member.takeTally()));
  }
}

export type MainParts = {
  readonly metrics: Metrics | undefined;
  readonly hour: LastHour;
  readonly tickets: Tickets;
  readonly log: LineWriter;
};

/** What the main thread serves to this member of its team. */
export function mainCalls(
  team: Team,
  member: Calls<MemberCalls>,
  { metrics, hour, tickets, log }: MainParts,
): MainCalls {
  return {
    ...ticketCalls(tickets),
    async metricsOfOthers() {
      const [own, others] = await Promise.all([metrics?.ofThread(), team.metrics(member)]);
      return own === undefined ? others : [own, ...others];
    },
    figures: () => ({ since: hour.since, samples: hour.samples }),
    writeLog: (lines) => writeLog(log, lines),
  };
}

export type MemberParts = {
  readonly metrics: Metrics | undefined;
  readonly hour: LastHour;
  /** Writes of this thread that wait for a commit. */
  writesWaiting(): number;
};

/** What a member serves to the main thread. */
export function memberCalls({ metrics, hour, writesWaiting }: MemberParts): MemberCalls {
  return {
    async metrics() {
      if (metrics === undefined) throw new Error('this thread keeps no metrics');
      return metrics.ofThread();
    },
    takeTally: () => hour.takeTally(writesWaiting()),
  };
}
