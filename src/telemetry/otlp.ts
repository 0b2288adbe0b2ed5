/** The messages of OTLP that this server sends, with the numbers of their fields: opentelemetry-proto, version 1. */
import { type Message, type Shape, Writer } from './protobuf.ts';
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

const items: Readonly<Record<Signal, Shape>> = { traces: span, metrics: metric, logs: logRecord };

const names = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
} as const;

type Resource = Readonly<Record<string, string>>;

/** The body of a request to a collector. Each item is encoded when it is added: as objects, hundreds of spans would wait for the others, and every collection of garbage would have to visit them. */
export interface RequestBody {
  /** A span, a metric or a log record. */
  add(item: Message): void;
  /** Nothing can be added afterwards. */
  end(): Uint8Array;
}

export function requestBody(signal: Signal, resource: Resource, protocol: Target['protocol']): RequestBody {
  const from = { attributes: attributesOf(resource) };
  const by = { name: 'shelf', version: resource['telemetry.sdk.version'] };
  return protocol === 'http/json' ? jsonBody(signal, from, by) : protobufBody(signal, from, by);
}

export function encodeRequest(
  signal: Signal,
  items: readonly Message[],
  resource: Resource,
  protocol: Target['protocol'],
): Uint8Array {
  const body = requestBody(signal, resource, protocol);
  for (const item of items) body.add(item);
  return body.end();
}

/** Every signal has the same numbers: the items of a scope (2, beside the scope, 1) of a resource (2, beside the resource, 1), which is member 1 of the request. */
function protobufBody(signal: Signal, from: Message, by: Message): RequestBody {
  const writer = new Writer();
  const ofResource = writer.begin(1);
  writer.nested(1, from, resource);
  const ofScope = writer.begin(2);
  writer.nested(1, by, scope);
  return {
    add: (item) => writer.nested(2, item, items[signal]),
    end() {
      writer.end(ofScope);
      writer.end(ofResource);
      return writer.bytes();
    },
  };
}

function jsonBody(signal: Signal, from: Message, by: Message): RequestBody {
  const [ofResource, ofScope, list] = names[signal];
  const texts: string[] = [];
  return {
    add: (item) => texts.push(JSON.stringify(item)),
    end() {
      const scoped = `{"scope":${JSON.stringify(by)},"${list}":[${texts.join()}]}`;
      const request = `{"${ofResource}":[{"resource":${JSON.stringify(from)},"${ofScope}":[${scoped}]}]}`;
      return new TextEncoder().encode(request);
    },
  };
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Numbers are whole. Attributes that are undefined are left out. */
export function attributesOf(attributes: Attributes): readonly Message[] {
  const known: Message[] = [];
  for (const key in attributes) {
    const one = attributes[key];
    if (one !== undefined) known.push({ key, value: choiceOf(one) });
  }
  return known;
}

function choiceOf(one: string | number | boolean): Message {
  if (typeof one === 'string') return { stringValue: one };
  return typeof one === 'boolean' ? { boolValue: one } : { intValue: String(one) };
}

/** Nanoseconds since 1970 as text; `ms` has microseconds. */
export function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}
