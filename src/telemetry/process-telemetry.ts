/** OpenTelemetry of a process: its first thread sends what all threads have observed. */
import type { Entry, Log } from '../http/observe/log-entry.ts';
import { CollectorHealth } from './collector-health.ts';
import { Exporter } from './exporter.ts';
import { metricsOf } from './metric-messages.ts';
import { encodeRequest } from './otlp.ts';
import { type Counts, RequestMetrics } from './request-metrics.ts';
import { type Signal, signals, type TelemetrySettings } from './settings.ts';
import type { Database } from './spans.ts';
import { ThreadTelemetry } from './thread-telemetry.ts';

export type ProcessOptions = {
  readonly database: Database;
  readonly log: Log;
  /** The figures of the other threads that serve. */
  ofOthers(): Promise<readonly Counts[]>;
};

export class ProcessTelemetry {
  readonly thread: ThreadTelemetry;
  readonly #exporters: Partial<Record<Signal, Exporter>>;
  readonly #health: CollectorHealth;
  readonly #start = Date.now();
  readonly #timer: Timer;
  /** Of threads that have ended. */
  readonly #ended: Counts[] = [];

  constructor(
    readonly settings: TelemetrySettings,
    readonly options: ProcessOptions,
  ) {
    const health = new CollectorHealth((entry) => this.log(entry));
    this.#health = health;
    this.#exporters = Object.fromEntries(
      signals.flatMap((signal) => {
        const target = settings.targets[signal];
        return target === undefined ? [] : [[signal, new Exporter(signal, target, health)]];
      }),
    );
    this.thread = new ThreadTelemetry(settings, options.database, this.take);
    this.#timer = setInterval(() => void this.#collect(), settings.metricsMs);
    this.#timer.unref();
  }

  /** The log, which is sent as well. */
  readonly log = (entry: Entry, now?: number): void => {
    this.options.log(entry, now);
    this.thread.log(entry, now);
  };

  /** Of any thread. `lost`: what it has dropped before. */
  readonly take = (signal: Signal, bytes: Uint8Array, count: number, lost = 0): void => {
    this.#health.lost(lost);
    this.#exporters[signal]?.add(bytes, count);
  };

  /** The last figures of a thread that ends. */
  threadEnded(counts: Counts): void {
    this.#ended.push(counts);
  }

  /** Sends the rest, for at most so long. Call it when all other threads have ended. */
  async close(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.thread.flush();
    this.#send(this.#ended);
    await Promise.all(Object.values(this.#exporters).map((exporter) => exporter.close(withinMs)));
  }

  async #collect(): Promise<void> {
    try {
      this.#send(await this.options.ofOthers());
    } catch {
      // A thread is ending: the last figures come when all have ended.
    }
  }

  #send(others: readonly Counts[]): void {
    const { resource, targets } = this.settings;
    if (targets.metrics === undefined) return;
    const all = new RequestMetrics();
    for (const counts of [this.thread.metrics.counts, ...others]) all.merge(counts);
    const span = { start: this.#start, end: Date.now() };
    const metrics = metricsOf(all.counts, this.options.database, span);
    this.take('metrics', encodeRequest('metrics', metrics, resource, targets.metrics.protocol), metrics.length);
  }
}
