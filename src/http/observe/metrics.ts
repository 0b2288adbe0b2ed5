/** Figures in Prometheus' text form. What is counted is kept here; what can be asked for is asked when it is scraped. */
import type { Collection } from '../../domain/collection.ts';
import type { FailureCode } from '../../domain/errors.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Store } from '../../domain/store.ts';
import type { Route } from '../route/route.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = { readonly labels?: Labels; readonly value: number };

/** A figure as it stands now. */
export type Gauge = {
  readonly name: string;
  readonly help: string;
  readonly type?: 'gauge' | 'counter';
  read(): Soon<readonly Sample[]>;
};

/** Upper bounds, each with how many were at most so much. */
class Histogram {
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(readonly bounds: readonly number[]) {
    this.#counts = bounds.map(() => 0);
  }

  add(value: number): void {
    const at = this.bounds.findIndex((bound) => value <= bound);
    if (at >= 0) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
    this.#count++;
  }

  lines(name: string, labels: Labels): string[] {
    let below = 0;
    const buckets = this.bounds.map((bound, at) => {
      below += this.#counts[at] ?? 0;
      return line(`${name}_bucket`, { ...labels, le: String(bound) }, below);
    });
    return [
      ...buckets,
      line(`${name}_bucket`, { ...labels, le: '+Inf' }, this.#count),
      line(`${name}_sum`, labels, this.#sum),
      line(`${name}_count`, labels, this.#count),
    ];
  }
}

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** Whatever a client makes up for a method is this one. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export class Metrics {
  readonly #requests = new Map<string, { readonly labels: Labels; count: number }>();
  readonly #times = new Map<string, Histogram>();
  readonly #commitSizes = new Histogram(sizes);
  readonly #commitTimes = new Histogram(seconds);
  #failedCommits = 0;
  readonly #errors = new Map<FailureCode, number>();
  readonly #gauges: Gauge[] = [];

  request(route: string, method: string, status: number, ms: number): void {
    const known = methods.has(method) ? method : 'other';
    const key = `${route} ${known} ${status}`;
    const counted = this.#requests.get(key);
    if (counted === undefined) {
      this.#requests.set(key, { labels: { route, method: known, status: String(status) }, count: 1 });
    } else counted.count++;
    const times = this.#times.get(route) ?? new Histogram(seconds);
    this.#times.set(route, times);
    times.add(ms / 1000);
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
      ...[...this.#requests.values()].map(({ labels, count }) => line('shelf_http_requests_total', labels, count)),
      head('shelf_http_request_duration_seconds', 'histogram', 'From the head of a request to its answer, by route.'),
      ...[...this.#times].flatMap(([route, times]) => times.lines('shelf_http_request_duration_seconds', { route })),
      head('shelf_commit_writes', 'histogram', 'Writes that shared one commit.'),
      ...this.#commitSizes.lines('shelf_commit_writes', {}),
      head('shelf_commit_duration_seconds', 'histogram', 'How long a commit took.'),
      ...this.#commitTimes.lines('shelf_commit_duration_seconds', {}),
      head('shelf_commit_failures_total', 'counter', 'Commits of which nothing, or nobody knows what, was stored.'),
      line('shelf_commit_failures_total', {}, this.#failedCommits),
      head('shelf_errors_total', 'counter', 'Requests that failed through no fault of the client, by code.'),
      ...[...this.#errors].map(([code, count]) => line('shelf_errors_total', { code }, count)),
    ];
    for (const { name, help, type = 'gauge', read } of this.#gauges) {
      parts.push(head(name, type, help));
      // What cannot be told now is left out.
      const samples = await (async () => read())().catch(() => []);
      parts.push(...samples.map(({ labels = {}, value }) => line(name, labels, value)));
    }
    return `${parts.join('\n')}\n`;
  }
}

export function metricsRoute(metrics: Metrics): Route {
  return {
    method: 'GET',
    path: '/metrics',
    access: 'admin',
    handle: async () => {
      const text = await metrics.text();
      const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
      return { status: 200, headers, body: text, size: Buffer.byteLength(text) };
    },
  };
}

/** What the store knows of itself. */
export function storeFigures(store: Store, collections: readonly Collection[]): Gauge[] {
  const one = (value: number) => [{ value }];
  return [
    {
      name: 'shelf_records',
      help: 'Records, by collection; an estimate where there are very many on PostgreSQL.',
      read: () =>
        Promise.all(
          collections.map(async (collection) => ({
            labels: { collection: collection.name },
            value: await store.estimate(collection),
          })),
        ),
    },
    {
      name: 'shelf_writes_waiting',
      help: 'Writes that wait for a commit.',
      read: () => one(store.figures().writesWaiting),
    },
    {
      name: 'shelf_reads_waiting',
      help: 'Questions that the database works on.',
      read: () => one(store.figures().readsWaiting),
    },
    {
      name: 'shelf_cache_bytes',
      help: 'Memory that serves records without the database.',
      read: () => one(store.figures().cacheBytes),
    },
    {
      name: 'shelf_wal_bytes',
      help: "SQLite's write-ahead log on the disk, beside the database.",
      read: () => one(store.figures().walBytes),
    },
    {
      name: 'shelf_database_connections',
      help: 'Connections to PostgreSQL by what they are for: in use, and the most there may be.',
      read: () =>
        Object.entries(store.figures().pools).flatMap(([pool, { used, most }]) => [
          { labels: { pool, state: 'used' }, value: used },
          { labels: { pool, state: 'most' }, value: most },
        ]),
    },
  ];
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}`;
}

function line(name: string, labels: Labels, value: number): string {
  const told = Object.entries(labels).map(([label, text]) => `${label}="${text.replace(/["\\\n]/g, '\\$&')}"`);
  return `${name}${told.length === 0 ? '' : `{${told.join(',')}}`} ${value}`;
}
