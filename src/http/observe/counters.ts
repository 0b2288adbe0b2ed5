/** Requests, commits and errors since the start, and the same of several threads added up. */
import type { FailureCode } from '../../domain/errors.ts';
import { head, line } from './exposition.ts';
import { Histogram, type HistogramCounts } from './histogram.ts';

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** Any other method is counted as `other`: clients can invent methods, and each would add a series. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The answers of one route: how long they took, and how many there were by method and status. */
type Answers = { readonly times: Histogram; readonly counts: Counted[] };
type Counted = { readonly method: string; readonly status: number; count: number };

/** All of it as data, for another thread. */
export type Counts = {
  readonly routes: readonly {
    readonly route: string;
    readonly times: HistogramCounts;
    readonly counts: readonly Readonly<Counted>[];
  }[];
  readonly commitSizes: HistogramCounts;
  readonly commitTimes: HistogramCounts;
  readonly failedCommits: number;
  readonly errors: readonly (readonly [FailureCode, number])[];
};

export class Counters {
  readonly #routes = new Map<string, Answers>();
  readonly #commitSizes = new Histogram(sizes);
  readonly #commitTimes = new Histogram(seconds);
  #failedCommits = 0;
  readonly #errors = new Map<FailureCode, number>();

  request(route: string, method: string, status: number, ms: number): void {
    const answers = this.#answersOf(route);
    answers.times.add(ms / 1000);
    count(answers, method === 'GET' || methods.has(method) ? method : 'other', status, 1);
  }

  commit(writes: number, ms: number, stored: boolean): void {
    this.#commitSizes.add(writes);
    this.#commitTimes.add(ms / 1000);
    if (!stored) this.#failedCommits++;
  }

  error(code: FailureCode, times = 1): void {
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + times);
  }

  get counts(): Counts {
    return {
      routes: [...this.#routes].map(([route, { times, counts }]) => ({ route, times: times.counts, counts })),
      commitSizes: this.#commitSizes.counts,
      commitTimes: this.#commitTimes.counts,
      failedCommits: this.#failedCommits,
      errors: [...this.#errors],
    };
  }

  /** Adds what another thread has counted. */
  merge({ routes, commitSizes, commitTimes, failedCommits, errors }: Counts): void {
    for (const { route, times, counts } of routes) {
      const answers = this.#answersOf(route);
      answers.times.merge(times);
      for (const { method, status, count: times } of counts) count(answers, method, status, times);
    }
    this.#commitSizes.merge(commitSizes);
    this.#commitTimes.merge(commitTimes);
    this.#failedCommits += failedCommits;
    for (const [code, times] of errors) this.error(code, times);
  }

  lines(): string[] {
    return [
      head('shelf_http_requests_total', 'counter', 'Requests answered, by route, method and status.'),
      ...[...this.#routes].flatMap(([route, { counts }]) =>
        counts.map(({ method, status, count }) =>
          line('shelf_http_requests_total', { route, method, status: String(status) }, count),
        ),
      ),
      head(
        'shelf_http_request_duration_seconds',
        'histogram',
        'Time from the head of a request to its answer, by route.',
      ),
      ...[...this.#routes].flatMap(([route, { times }]) =>
        times.lines('shelf_http_request_duration_seconds', { route }),
      ),
      head('shelf_commit_writes', 'histogram', 'Writes per commit.'),
      ...this.#commitSizes.lines('shelf_commit_writes', {}),
      head('shelf_commit_duration_seconds', 'histogram', 'Duration of a commit.'),
      ...this.#commitTimes.lines('shelf_commit_duration_seconds', {}),
      head('shelf_commit_failures_total', 'counter', 'Commits that failed, or whose outcome is unknown.'),
      line('shelf_commit_failures_total', {}, this.#failedCommits),
      head('shelf_errors_total', 'counter', 'Requests that failed with a 5xx status, by failure code.'),
      ...[...this.#errors].map(([code, count]) => line('shelf_errors_total', { code }, count)),
    ];
  }

  #answersOf(route: string): Answers {
    const known = this.#routes.get(route);
    if (known !== undefined) return known;
    const answers = { times: new Histogram(seconds), counts: [] };
    this.#routes.set(route, answers);
    return answers;
  }
}

function count({ counts }: Answers, method: string, status: number, times: number): void {
  const counted = counts.find((one) => one.status === status && one.method === method);
  if (counted === undefined) counts.push({ method, status, count: times });
  else counted.count += times;
}
