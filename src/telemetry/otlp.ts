/** The messages of OTLP that this server sends, with the numbers of their fields: opentelemetry-proto, version 1. */
import { encodeProtobuf, type Message, type Shape } from './protobuf.ts';
import type { Signal, Target } from './settings.ts';

const value: Shape = {
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'varint'],
  doubleValue: [4, 'double'],
};
const attribute: Shape = { key: [1, 'string'], value: [2, value] };
const resource: Shape = { attributes: [1, attribute] };
const scope: Shape = { name: [1, 'string'], version: [2, 'string'] };

const span: Shape = {
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  traceState: [3, 'string'],
  parentSpanId: [4, 'hex'],
  name: [5, 'string'],
  kind: [6, 'varint'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, attribute],
  status: [15, { message: [2, 'string'], code: [3, 'varint'] }],
  flags: [16, 'fixed32'],
};

const point: Shape = {
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  asInt: [6, 'fixed64'],
  attributes: [7, attribute],
};
const histogramPoint: Shape = {
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  bucketCounts: [6, 'fixed64s'],
  explicitBounds: [7, 'doubles'],
  attributes: [9, attribute],
};
const metric: Shape = {
  name: [1, 'string'],
  description: [2, 'string'],
  unit: [3, 'string'],
  sum: [7, { dataPoints: [1, point], aggregationTemporality: [2, 'varint'] }],
  histogram: [9, { dataPoints: [1, histogramPoint], aggregationTemporality: [2, 'varint'] }],
};

const logRecord: Shape = {
  timeUnixNano: [1, 'fixed64'],
  severityNumber: [2, 'varint'],
  severityText: [3, 'string'],
  body: [5, value],
  attributes: [6, attribute],
  flags: [8, 'fixed32'],
  traceId: [9, 'hex'],
  spanId: [10, 'hex'],
  observedTimeUnixNano: [11, 'fixed64'],
  eventName: [12, 'string'],
};

const requests: Readonly<Record<Signal, Shape>> = {
  traces: { resourceSpans: [1, { resource: [1, resource], scopeSpans: [2, { scope: [1, scope], spans: [2, span] }] }] },
  metrics: {
    resourceMetrics: [1, { resource: [1, resource], scopeMetrics: [2, { scope: [1, scope], metrics: [2, metric] }] }],
  },
  logs: {
    resourceLogs: [1, { resource: [1, resource], scopeLogs: [2, { scope: [1, scope], logRecords: [2, logRecord] }] }],
  },
};

const names = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
} as const;

/** The body of a request with these spans, metrics or log records. */
export function encodeRequest(
  signal: Signal,
  items: readonly Message[],
  resource: Readonly<Record<string, string>>,
  protocol: Target['protocol'],
): Uint8Array {
  const [ofResource, ofScope, list] = names[signal];
  const scoped = { scope: { name: 'shelf', version: resource['telemetry.sdk.version'] }, [list]: items };
  const request = { [ofResource]: [{ resource: { attributes: attributesOf(resource) }, [ofScope]: [scoped] }] };
  if (protocol === 'http/json') return new TextEncoder().encode(JSON.stringify(request));
  return encodeProtobuf(request, requests[signal]);
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Numbers are whole. Attributes that are undefined are left out. */
export function attributesOf(attributes: Attributes): readonly Message[] {
  const known: Message[] = [];
  for (const key in attributes) {
    const one = attributes[key];
    if (one !== undefined) known.push({ key, value: valueOf(one) });
  }
  return known;
}

function valueOf(one: string | number | boolean): Message {
  if (typeof one === 'string') return { stringValue: one };
  return typeof one === 'boolean' ? { boolValue: one } : { intValue: String(one) };
}

/** Nanoseconds since 1970 as text; `ms` has microseconds. */
export function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}
