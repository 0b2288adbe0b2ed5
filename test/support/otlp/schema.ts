/** Decodes requests of OTLP with the official schema: the files of opentelemetry-proto v1.9.0 beside this one. */
import { join } from 'node:path';
import protobuf from 'protobufjs';

const root = new protobuf.Root();
root.resolvePath = (_, target) => join(import.meta.dir, target);
root.loadSync(
  ['trace', 'metrics', 'logs'].map((signal) => `opentelemetry/proto/collector/${signal}/v1/${signal}_service.proto`),
);

const types = {
  '/v1/traces': 'opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest',
  '/v1/metrics': 'opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest',
  '/v1/logs': 'opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest',
} as const;
export type OtlpPath = keyof typeof types;

const hexNames = new Set(['traceId', 'spanId', 'parentSpanId']);

/** The request in its JSON form. Throws for bytes that are not exactly a message of the schema. */
export function decoded(path: OtlpPath, body: Uint8Array, contentType: string): Record<string, unknown> {
  const type = root.lookupType(types[path]);
  if (contentType === 'application/json') {
    const json = JSON.parse(new TextDecoder().decode(body));
    const message = type.fromObject(spelled(json, (id) => Buffer.from(id, 'hex').toString('base64')));
    const shown = type.toObject(message, { longs: String, bytes: String });
    expectEqual(
      spelled(shown, (id) => Buffer.from(id, 'base64').toString('hex')),
      withoutEmptyLists(json),
    );
    return withoutEmptyLists(json) as Record<string, unknown>;
  }
  const message = type.decode(body);
  // Fields that the schema does not have would be skipped, and not be written again.
  const again = type.encode(message).finish();
  if (again.length !== body.length) throw new Error('the request has fields that the schema does not have');
  const shown = type.toObject(message, { longs: String, bytes: String });
  return spelled(shown, (id) => Buffer.from(id, 'base64').toString('hex'));
}

/** A copy with each id in another spelling. */
function spelled<Value>(value: Value, spell: (id: string) => string): Value {
  return JSON.parse(
    JSON.stringify(value, (key, one) => (hexNames.has(key) && typeof one === 'string' ? spell(one) : one)),
  );
}

/** In protobuf they are the same as no list. */
export function withoutEmptyLists(value: unknown): unknown {
  const isEmpty = (one: unknown) => Array.isArray(one) && one.length === 0;
  return JSON.parse(JSON.stringify(value, (_, one) => (isEmpty(one) ? undefined : one)));
}

function expectEqual(one: unknown, other: unknown): void {
  if (!Bun.deepEquals(one, other)) throw new Error('the request has members that the schema does not have');
}

/** A body that the official schema encodes: the answer of a collector that rejects some of a request. */
export function partialSuccess(rejectedSpans: number, errorMessage: string): Uint8Array {
  const type = root.lookupType('opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse');
  return type.encode(type.fromObject({ partialSuccess: { rejectedSpans, errorMessage } })).finish();
}
