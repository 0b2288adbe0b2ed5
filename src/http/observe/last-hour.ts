/**
 * The figures of the last hour, for a person without a monitoring system: one sample every ten seconds, in bounded
 * memory. The main thread keeps the samples; before it ends one, it collects the tallies of the other threads.
 */
import type { FailureCode } from '../../domain/errors.ts';
import { Latencies, type LatencyCounts } from './latencies.ts';
import { parametersOf } from './parameters.ts';

export const sampleMs = 10_000;
const maxSamples = 360;

export type Slowest = {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  /** Finds the request in the log. */
  readonly requestId: string;
  /** The names of the query's parameters. */
  readonly parameters: readonly string[];
};

/** What is read when a sample ends. */
export type SampleGauges = {
  readonly memoryBytes: number;
  readonly connections: number;
  readonly listeners: number;
  readonly writesWaiting: number;
};

/** What happened since the last sample. */
type Happened = {
  readonly slowest: Slowest | undefined;
  readonly commits: number;
  /** Writes in all commits; a bulk counts as one. */
  readonly writes: number;
  /** The longest commit. */
  readonly commitMs: number;
  /** Failures by code. */
  readonly errors: Readonly<Partial<Record<FailureCode, number>>>;
};

export type Sample = SampleGauges &
  Happened & {
    /** The end of its ten seconds. */
    readonly at: string;
    readonly requests: number;
    /** Undefined without requests. */
    readonly p50Ms: number | undefined;
    readonly p99Ms: number | undefined;
  };

/** What a thread has counted since its last tally, and the writes that wait there now. */
export type Tally = Happened & { readonly latencies: LatencyCounts; readonly writesWaiting: number };

export type HourFigures = {
  /** When this process began to count. */
  readonly since: string;
  /** The oldest first. */
  readonly samples: readonly Sample[];
};

export class LastHour implements HourFigures {
  readonly #samples: Sample[] = [];
  readonly #latencies = new Latencies();
  #slowest: Slowest | undefined;
  #commits = 0;
  #writes = 0;
  #commitMs = 0;
  #errors: Partial<Record<FailureCode, number>> = {};
  #writesWaiting = 0;

  constructor(readonly since: string) {}

  request(route: string, method: string, status: number, ms: number, requestId: string, target: string): void {
    this.#latencies.add(ms);
    if (ms > (this.#slowest?.ms ?? 0))
      this.#slowest = { route, method, status, ms, requestId, parameters: parametersOf(target) };
  }

  commit(writes: number, ms: number): void {
    this.#commits++;
    this.#writes += writes;
    if (ms > this.#commitMs) this.#commitMs = ms;
  }

  error(code: FailureCode): void {
    this.#errors[code] = (this.#errors[code] ?? 0) + 1;
  }

  /** On another thread than the main one: what was counted since the last call. */
  takeTally(writesWaiting: number): Tally {
    const tally = { ...this.#happened(), latencies: this.#latencies.counts, writesWaiting };
    this.#clear();
    return tally;
  }

  /** Adds the tally of another thread to the sample that is not ended. */
  merge({ latencies, slowest, commits, writes, commitMs, errors, writesWaiting }: Tally): void {
    this.#latencies.merge(latencies);
    if (slowest !== undefined && slowest.ms > (this.#slowest?.ms ?? 0)) this.#slowest = slowest;
    this.#commits += commits;
    this.#writes += writes;
    this.#commitMs = Math.max(this.#commitMs, commitMs);
    for (const [code, count] of Object.entries(errors) as [FailureCode, number][])
      this.#errors[code] = (this.#errors[code] ?? 0) + count;
    this.#writesWaiting += writesWaiting;
  }

  /** Ends a sample; the oldest is dropped after an hour. */
  sample(at: string, levels: SampleGauges): void {
    this.#samples.push({
      at,
      ...levels,
      writesWaiting: levels.writesWaiting + this.#writesWaiting,
      requests: this.#latencies.count,
      p50Ms: this.#latencies.quantile(0.5),
      p99Ms: this.#latencies.quantile(0.99),
      ...this.#happened(),
    });
    if (this.#samples.length > maxSamples) this.#samples.shift();
    this.#clear();
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  #happened(): Happened {
    return {
      slowest: this.#slowest,
      commits: this.#commits,
      writes: this.#writes,
      commitMs: this.#commitMs,
      errors: this.#errors,
    };
  }

  #clear(): void {
    this.#latencies.clear();
    this.#slowest = undefined;
    this.#commits = 0;
    this.#writes = 0;
    this.#commitMs = 0;
    this.#errors = {};
    this.#writesWaiting = 0;
  }
}
