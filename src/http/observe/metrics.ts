/** The metrics registry. Counters are kept here; gauges are read at each scrape. */
import type { FailureCode } from '../../domain/errors.ts';
import type { Soon } from '../../domain/soon.ts';
import { head, line, type Sample } from './exposition.ts';
import { Histogram } from './histogram.ts';

/** A metric that is read at each scrape. */
export type Gauge = {
  readonly name: string;
  readonly help: string;
  readonly type?: 'gauge' | 'counter';
  read(): Soon<readonly Sample[]>;
};

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** Any other method is counted as `other`: clients can invent methods, and each would add a series. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The answers of one route: how long they took, and how many there were by method and status. */
type Answers = { readonly times: Histogram; readonly counts: Counted[] };
type Counted = { readonly method: string; readonly status: number; count: number };

export class Metrics {
  readonly #routes = new Map<string, Answers>();
  readonly #commitSizes = new Histogram(sizes);
  readonly #commitTimes = new Histogram(seconds);
  #failedCommits = 0;
  readonly #errors = new Map<FailureCode, number>();
  readonly #gauges: Gauge[] = [];

  request(route: string, method: string, status: number, ms: number): void {
    const known = methods.has(method) ? method : 'other';
    const answers = this.#routes.get(route) ?? { times: new Histogram(seconds), counts: [] };
    this.#routes.set(route, answers);
    answers.times.add(ms / 1000);
    const counted = answers.counts.find((one) => one.status === status && one.method === known);
    if (counted === undefined) answers.counts.push({ method: known, status, count: 1 });
    else counted.count++;
  }

  commit(writes: number, ms: number, stored: boolean): void {
    this.#commitSizes.add(writes);
    this.#commitTimes.add(ms / 1000);
    if (!stored) this.#failedCommits++;
  }

  error(code: FailureCode): void {
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
  }

  add(...gauges: readonly Gauge[]): void {
    this.#gauges.push(...gauges);
  }

  async text(): Promise<string> {
    const parts = [
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
    for (const { name, help, type = 'gauge', read } of this.#gauges) {
      parts.push(head(name, type, help));
      // A metric that cannot be read now is left out.
      const samples = await (async () => read())().catch(() => []);
      parts.push(...samples.map(({ labels = {}, value }) => line(name, labels, value)));
    }
    return `${parts.join('\n')}\n`;
  }
}
