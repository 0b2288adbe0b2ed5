/** The figures of the last hour, for a person without a monitoring system: one sample every ten seconds, in bounded memory. */
import type { FailureCode } from '../../domain/errors.ts';
import { Latencies } from './latencies.ts';
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
export type Levels = {
  readonly memoryBytes: number;
  readonly connections: number;
  readonly listeners: number;
  readonly writesWaiting: number;
};

export type Sample = Levels & {
  /** The end of its ten seconds. */
  readonly at: string;
  readonly requests: number;
  /** Undefined without requests. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly slowest: Slowest | undefined;
  readonly commits: number;
  /** Writes in all commits; a bulk counts as one. */
  readonly writes: number;
  /** The longest commit. */
  readonly commitMs: number;
  /** Failures by code. */
  readonly errors: Readonly<Partial<Record<FailureCode, number>>>;
};

export class LastHour {
  readonly #samples: Sample[] = [];
  readonly #latencies = new Latencies();
  #slowest: Slowest | undefined;
  #commits = 0;
  #writes = 0;
  #commitMs = 0;
  #errors: Partial<Record<FailureCode, number>> = {};

  /** `since`: when this process began to count. */
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

  /** Ends a sample; the oldest is dropped after an hour. */
  sample(at: string, levels: Levels): void {
    this.#samples.push({
      at,
      ...levels,
      requests: this.#latencies.count,
      p50Ms: this.#latencies.quantile(0.5),
      p99Ms: this.#latencies.quantile(0.99),
      slowest: this.#slowest,
      commits: this.#commits,
      writes: this.#writes,
      commitMs: this.#commitMs,
      errors: this.#errors,
    });
    if (this.#samples.length > maxSamples) this.#samples.shift();
    this.#latencies.clear();
    this.#slowest = undefined;
    this.#commits = 0;
    this.#writes = 0;
    this.#commitMs = 0;
    this.#errors = {};
  }

  /** The oldest first. */
  get samples(): readonly Sample[] {
    return this.#samples;
  }
}
