/**
 * The messages of OTLP that this server sends, with the numbers of their fields: opentelemetry-proto, version 1. Attributes are an object, and
 * `requestAttributes` and `serverAttributes` are further ones, which messages share; times are milliseconds.
 */
import { type Attributes, type Message, type Shape, SharedAttributes, Writer } from './protobuf.ts';
import type { Signal, Target } from './settings.ts';

const resource: Shape = { attributes: [1, 'attributes'] };
const scope: Shape = { name: [1, 'string'], version: [2, 'string'] };

const span: Shape = {
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  traceState: [3, 'string'],
  parentSpanId: [4, 'hex'],
  name: [5, 'string'],
  kind: [6, 'varint'],
  startTimeUnixNano: [7, 'time'],
  endTimeUnixNano: [8, 'time'],
  requestAttributes: [9, 'shared'],
  serverAttributes: [9, 'shared'],
  attributes: [9, 'attributes'],
  status: [15, { message: [2, 'string'], code: [3, 'varint'] }],
  flags: [16, 'fixed32'],
};

const point: Shape = {
  startTimeUnixNano: [2, 'time'],
  timeUnixNano: [3, 'time'],
  asInt: [6, 'fixed64'],
  attributes: [7, 'attributes'],
};
const histogramPoint: Shape = {
  startTimeUnixNano: [2, 'time'],
  timeUnixNano: [3, 'time'],
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  bucketCounts: [6, 'fixed64s'],
  explicitBounds: [7, 'doubles'],
  attributes: [9, 'attributes'],
};
const metric: Shape = {
  name: [1, 'string'],
  description: [2, 'string'],
  unit: [3, 'string'],
  sum: [7, { dataPoints: [1, point], aggregationTemporality: [2, 'varint'] }],
  histogram: [9, { dataPoints: [1, histogramPoint], aggregationTemporality: [2, 'varint'] }],
};

const logRecord: Shape = {
  timeUnixNano: [1, 'time'],
  severityNumber: [2, 'varint'],
  severityText: [3, 'string'],
  body: [5, { stringValue: [1, 'string'] }],
  requestAttributes: [6, 'shared'],
  attributes: [6, 'attributes'],
  flags: [8, 'fixed32'],
  traceId: [9, 'hex'],
  spanId: [10, 'hex'],
  observedTimeUnixNano: [11, 'time'],
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
  const from = { attributes: resource };
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
    add: (item) => texts.push(JSON.stringify(joined(item), inJson)),
    end() {
      const scoped = `{"scope":${JSON.stringify(by)},"${list}":[${texts.join()}]}`;
      const request = `{"${ofResource}":[{"resource":${JSON.stringify(from, inJson)},"${ofScope}":[${scoped}]}]}`;
      return new TextEncoder().encode(request);
    },
  };
}

/** Items without attributes have no such member. */
function joined({ requestAttributes, serverAttributes, attributes, ...item }: Message): Message {
  const shared = [requestAttributes, serverAttributes].filter((one) => one instanceof SharedAttributes);
  if (attributes === undefined && shared.length === 0) return item;
  return { ...item, attributes: Object.assign({}, ...shared.map(({ values }) => values), attributes) };
}

/** The JSON form of OTLP has a list of attributes, and numbers of 64 bits as text. */
function inJson(name: string, value: unknown): unknown {
  if (name === 'attributes') return attributesOf(value as Attributes);
  return name.endsWith('UnixNano') ? nanoseconds(Number(value)) : value;
}

export function attributesOf(attributes: Attributes): readonly Message[] {
  const known: Message[] = [];
  for (const [key, one] of Object.entries(attributes)) if (one !== undefined) known.push({ key, value: choiceOf(one) });
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
