/**
 * The figures of the last hour, for a person without a monitoring system: one sample every ten seconds, in bounded
 * memory. The main thread keeps the samples; before it ends one, it collects the tallies of the other threads. A sample is shown as it is.
 */
import type { FailureCode } from '../../domain/errors.ts';
import { Latencies, type LatencyCounts } from './latencies.ts';
import { parametersOf } from './parameters.ts';
import { rounded } from './rounded.ts';

export const sampleMs = 10_000;
const maxSamples = 360;

export type Slowest = {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  /** Finds the request in the log. */
  readonly request_id: string;
  /** The names of the query's parameters. */
  readonly parameters: readonly string[];
};

/** What is read when a sample ends. */
export type SampleGauges = {
  readonly memory_bytes: number;
  readonly connections: number;
  readonly listeners: number;
  readonly writes_waiting: number;
};

/** What happened since the last sample. */
type Happened = {
  slowest: Slowest | null;
  commits: number;
  /** Writes in all commits; a bulk counts as one. */
  writes: number;
  /** The longest commit. */
  commit_ms: number;
  /** Failures by code. */
  readonly errors: Partial<Record<FailureCode, number>>;
};

export type Sample = Readonly<Happened> &
  SampleGauges & {
    /** The end of its ten seconds. */
    readonly at: string;
    readonly requests: number;
    /** Null without requests. */
    readonly p50_ms: number | null;
    readonly p99_ms: number | null;
  };

/** What a thread has counted since its last tally, and the writes that wait there now. */
export type Tally = Readonly<Happened> & { readonly latencies: LatencyCounts; readonly writesWaiting: number };

export type HourFigures = {
  /** When this process began to count. */
  readonly since: string;
  /** The oldest first. */
  readonly samples: readonly Sample[];
};

export class LastHour implements HourFigures {
  readonly #samples: Sample[] = [];
  readonly #latencies = new Latencies();
  #happened = nothing();
  /** Of other threads. */
  #writesWaiting = 0;

  constructor(readonly since: string) {}

  request(route: string, method: string, status: number, ms: number, requestId: string, target: string): void {
    this.#latencies.add(ms);
    if (ms > (this.#happened.slowest?.ms ?? 0))
      this.#happened.slowest = { route, method, status, ms, request_id: requestId, parameters: parametersOf(target) };
  }

  commit(writes: number, ms: number): void {
    const happened = this.#happened;
    happened.commits++;
    happened.writes += writes;
    if (ms > happened.commit_ms) happened.commit_ms = ms;
  }

  error(code: FailureCode, times = 1): void {
    const { errors } = this.#happened;
    errors[code] = (errors[code] ?? 0) + times;
  }

  /** On another thread than the main one: what was counted since the last call. */
  takeTally(writesWaiting: number): Tally {
    const tally = { ...this.#happened, latencies: this.#latencies.counts, writesWaiting };
    this.#clear();
    return tally;
  }

  /** Adds the tally of another thread to the sample that is not ended. */
  merge({ latencies, slowest, commits, writes, commit_ms, errors, writesWaiting }: Tally): void {
    const happened = this.#happened;
    this.#latencies.merge(latencies);
    if (slowest !== null && slowest.ms > (happened.slowest?.ms ?? 0)) happened.slowest = slowest;
    happened.commits += commits;
    happened.writes += writes;
    happened.commit_ms = Math.max(happened.commit_ms, commit_ms);
    for (const [code, times] of Object.entries(errors) as [FailureCode, number][]) this.error(code, times);
    this.#writesWaiting += writesWaiting;
  }

  /** Ends a sample; the oldest is dropped after an hour. */
  sample(at: string, gauges: SampleGauges): void {
    const { slowest, commit_ms } = this.#happened;
    this.#samples.push({
      at,
      requests: this.#latencies.count,
      p50_ms: this.#quantile(0.5),
      p99_ms: this.#quantile(0.99),
      ...this.#happened,
      slowest: slowest && { ...slowest, ms: rounded(slowest.ms) },
      commit_ms: rounded(commit_ms),
      ...gauges,
      writes_waiting: gauges.writes_waiting + this.#writesWaiting,
    });
    if (this.#samples.length > maxSamples) this.#samples.shift();
    this.#clear();
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  #quantile(share: number): number | null {
    const ms = this.#latencies.quantile(share);
    return ms === undefined ? null : rounded(ms);
  }

  #clear(): void {
    this.#latencies.clear();
    this.#happened = nothing();
    this.#writesWaiting = 0;
  }
}

const nothing = (): Happened => ({ slowest: null, commits: 0, writes: 0, commit_ms: 0, errors: {} });
