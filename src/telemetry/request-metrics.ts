/** The figures of requests and commits of one thread since its start, by the semantic conventions. */
import { Histogram, type HistogramCounts } from '../http/observe/histogram.ts';
import { SharedAttributes } from './protobuf.ts';
import { labelAttributes, type RequestLabels } from './request-attributes.ts';

/** In seconds, as the conventions advise. */
export const requestBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;
export const databaseBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] as const;

type Series = { readonly labels: RequestLabels; readonly attributes: SharedAttributes; readonly times: Histogram };
/** Requests that have begun, answered or not. */
type Begun = { readonly method: string; readonly scheme: string; count: number };

/** All of it as data, for another thread. */
export type Counts = {
  readonly requests: readonly (RequestLabels & { readonly times: HistogramCounts })[];
  readonly begun: readonly Readonly<Begun>[];
  /** Commits that were stored, and those that were not. */
  readonly commits: { readonly stored: HistogramCounts; readonly failed: HistogramCounts };
};

export class RequestMetrics {
  readonly #routes = new Map<string, Series[]>();
  /** Most requests are like the one before. */
  #last: Series | undefined;
  readonly #begun: Begun[] = [];
  readonly #stored = new Histogram(databaseBounds);
  readonly #failed = new Histogram(databaseBounds);

  began(method: string, scheme: string): void {
    this.#begunOf(method, scheme).count++;
  }

  request(labels: RequestLabels, ms: number): void {
    this.#seriesOf(labels).times.add(ms / 1000);
  }

  attributesOf(labels: RequestLabels): SharedAttributes {
    return this.#seriesOf(labels).attributes;
  }

  commit(ms: number, isStored: boolean): void {
    (isStored ? this.#stored : this.#failed).add(ms / 1000);
  }

  get counts(): Counts {
    return {
      requests: [...this.#routes.values()].flat().map(({ labels, times }) => ({ ...labels, times: times.counts })),
      begun: this.#begun,
      commits: { stored: this.#stored.counts, failed: this.#failed.counts },
    };
  }

  /** Adds the figures of another thread. */
  merge({ requests, begun, commits }: Counts): void {
    for (const { times, ...labels } of requests) this.#seriesOf(labels).times.merge(times);
    for (const { method, scheme, count } of begun) this.#begunOf(method, scheme).count += count;
    this.#stored.merge(commits.stored);
    this.#failed.merge(commits.failed);
  }

  #seriesOf(labels: RequestLabels): Series {
    if (this.#last === undefined || !areAlike(this.#last.labels, labels)) this.#last = this.#findOrAdd(labels);
    return this.#last;
  }

  #findOrAdd(labels: RequestLabels): Series {
    let all = this.#routes.get(labels.route);
    if (all === undefined) {
      all = [];
      this.#routes.set(labels.route, all);
    }
    for (const one of all) if (areAlike(one.labels, labels)) return one;
    const attributes = new SharedAttributes(labelAttributes(labels));
    const one = { labels, attributes, times: new Histogram(requestBounds) };
    all.push(one);
    return one;
  }

  #begunOf(method: string, scheme: string): Begun {
    for (const one of this.#begun) if (one.method === method && one.scheme === scheme) return one;
    const one = { method, scheme, count: 0 };
    this.#begun.push(one);
    return one;
  }
}

function areAlike(one: RequestLabels, other: RequestLabels): boolean {
  return (
    one.route === other.route &&
    one.status === other.status &&
    one.method === other.method &&
    one.scheme === other.scheme &&
    one.version === other.version &&
    one.error === other.error
  );
}
