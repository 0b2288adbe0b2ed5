/** The metrics of a process, by the stable semantic conventions for HTTP and databases. */
import type { HistogramCounts } from '../http/observe/histogram.ts';
import type { Attributes, Message } from './protobuf.ts';
import { labelAttributes } from './request-attributes.ts';
import { type Counts, databaseBounds, requestBounds } from './request-metrics.ts';
import type { Database } from './spans.ts';

/** Every value counts from the start of the process. */
const cumulative = 2;

/** Milliseconds since 1970. */
export type Span = { readonly start: number; readonly end: number };

export function metricsOf({ requests, begun, commits }: Counts, database: Database, span: Span): Message[] {
  const durations = requests.map(({ times, ...labels }) =>
    histogramPoint(times, requestBounds, span, labelAttributes(labels)),
  );
  const active = begun.map(({ method, scheme, count }) => ({
    ...timesOf(span),
    asInt: String(count - answeredOf(requests, method, scheme)),
    attributes: { 'http.request.method': method, 'url.scheme': scheme },
  }));
  const ofCommit = { 'db.system.name': database, 'db.operation.name': 'COMMIT' };
  const committed = [
    histogramPoint(commits.stored, databaseBounds, span, ofCommit),
    histogramPoint(commits.failed, databaseBounds, span, { ...ofCommit, 'error.type': 'commit_failed' }),
  ].filter(({ count }) => count !== '0');
  return [
    histogram('http.server.request.duration', 'Duration of HTTP server requests.', durations),
    {
      name: 'http.server.active_requests',
      description: 'Number of active HTTP server requests.',
      unit: '{request}',
      sum: { dataPoints: active, aggregationTemporality: cumulative },
    },
    histogram('db.client.operation.duration', 'Duration of database client operations.', committed),
  ];
}

/** Input that was no request has no version, and has not begun. */
function answeredOf(requests: Counts['requests'], method: string, scheme: string): number {
  return requests
    .filter((one) => one.method === method && one.scheme === scheme && one.version !== undefined)
    .reduce((sum, { times }) => sum + times.count, 0);
}

function histogram(name: string, description: string, dataPoints: readonly Message[]): Message {
  return { name, description, unit: 's', histogram: { dataPoints, aggregationTemporality: cumulative } };
}

function histogramPoint(
  { buckets, sum, count }: HistogramCounts,
  bounds: readonly number[],
  span: Span,
  attributes: Attributes,
): Message {
  const beyond = count - buckets.reduce((all, one) => all + one, 0);
  return {
    ...timesOf(span),
    count: String(count),
    sum,
    bucketCounts: [...buckets, beyond].map(String),
    explicitBounds: bounds,
    attributes,
  };
}

function timesOf({ start, end }: Span) {
  return { startTimeUnixNano: start, timeUnixNano: end };
}
