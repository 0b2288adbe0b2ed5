/**
 * The threads of one process that serve. The main thread keeps what there is once: tickets, what issuers of tokens publish, the figures
 * of the last hour, and the log. It has a port to each other thread, over which both ask each other.
 */
import type { Tickets } from '../../domain/store/tickets.ts';
import type { ServedSettings } from '../../http/admin/settings.ts';
import type { HourFigures, LastHour, Tally } from '../../http/observe/last-hour.ts';
import type { Metrics, ThreadMetrics } from '../../http/observe/metrics.ts';
import type { ProcessTelemetry } from '../../telemetry/process-telemetry.ts';
import type { Counts } from '../../telemetry/request-metrics.ts';
import type { ThreadTelemetry } from '../../telemetry/thread-telemetry.ts';
import type { Calls } from '../../threads/calls.ts';
import { type TicketCalls, ticketCalls } from '../../threads/remote-tickets.ts';
import type { IssuerCalls, Issuers } from '../issuers/issuers.ts';
import { type LineWriter, writeBatch } from '../log/line-queue.ts';
import { type SettingsCalls, settingsCalls } from '../takeover/remote-settings.ts';
import { type TelemetryCalls, telemetryCalls } from './telemetry.ts';

/** Served by each thread but the main one. */
export type ReportCalls = {
  /** Called only with --metrics on. */
  metrics(): Promise<ThreadMetrics>;
  /** What happened since the last call. */
  takeTally(): Tally;
  /** Called only with OpenTelemetry on. */
  telemetryCounts(): Counts;
};

/** Served by the main thread. */
export type MainCalls = TicketCalls &
  IssuerCalls &
  TelemetryCalls &
  SettingsCalls & {
    metricsOfOthers(): Promise<readonly ThreadMetrics[]>;
    figures(): HourFigures;
    /** Resolves when the lines are written. */
    writeLog(lines: Uint8Array): Promise<void>;
    /** The same for the audit log. */
    writeAudit(lines: Uint8Array): Promise<void>;
  };

export function metricsOf(threads: readonly Calls<ReportCalls>[]): Promise<readonly ThreadMetrics[]> {
  return Promise.all(threads.map((thread) => thread.metrics()));
}

export type MainParts = {
  readonly metrics: Metrics | undefined;
  readonly hour: LastHour;
  readonly tickets: Tickets;
  readonly issuers: Issuers;
  readonly settings: ServedSettings;
  readonly log: LineWriter;
  /** Undefined without an audit log. */
  readonly audit: LineWriter | undefined;
  /** Undefined without OpenTelemetry. */
  readonly telemetry: ProcessTelemetry | undefined;
};

/** What the main thread serves to `thread`, one of `threads`. */
export function mainCalls(
  threads: readonly Calls<ReportCalls>[],
  thread: Calls<ReportCalls>,
  { metrics, hour, tickets, issuers, settings, log, audit, telemetry }: MainParts,
): MainCalls {
  return {
    ...ticketCalls(tickets),
    ...settingsCalls(settings),
    ...telemetryCalls(telemetry),
    nextOfIssuer: (name, attempt) => issuers.next(name, attempt),
    async metricsOfOthers() {
      const [own, others] = await Promise.all([
        metrics?.ofThread(),
        metricsOf(threads.filter((one) => one !== thread)),
      ]);
      return own === undefined ? others : [own, ...others];
    },
    figures: () => ({ since: hour.since, samples: hour.samples }),
    writeLog: (lines) => writeBatch(log, lines),
    async writeAudit(lines) {
      if (audit !== undefined) await writeBatch(audit, lines);
    },
  };
}

export type ReportParts = {
  readonly metrics: Metrics | undefined;
  readonly hour: LastHour;
  /** Writes of this thread that wait for a commit. */
  writesWaiting(): number;
  readonly telemetry: ThreadTelemetry | undefined;
};

/** What every other thread serves to the main one. */
export function reportCalls({ metrics, hour, writesWaiting, telemetry }: ReportParts): ReportCalls {
  return {
    async metrics() {
      if (metrics === undefined) throw new Error('this thread keeps no metrics');
      return metrics.ofThread();
    },
    takeTally: () => hour.takeTally(writesWaiting()),
    telemetryCounts() {
      if (telemetry === undefined) throw new Error('this thread sends no telemetry');
      return telemetry.metrics.counts;
    },
  };
}
