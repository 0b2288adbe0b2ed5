/** The spans of a request: that of the server, and one for each stage. */
import type { Stage } from '../domain/trace.ts';
import type { Answered } from '../http/observe/telemetry.ts';
import { attributesOf, nanoseconds } from './otlp.ts';
import type { Message } from './protobuf.ts';
import { methodOf, schemeOf, serverOf, versionOf } from './request-attributes.ts';
import type { RecordedTrace } from './request-trace.ts';
import { newSpanId } from './trace-context.ts';

const kinds = { internal: 1, server: 2, client: 3 };
const failed = { code: 2 };
/** Sampled; whether the parent is of another process is known, and it is. */
const flags = { sampled: 1, isKnown: 0x100, isRemote: 0x200 };

export type Database = 'postgresql' | 'sqlite';

/** `wallOf` makes a value of `performance.now()` milliseconds since 1970. */
export function spansOf(
  trace: RecordedTrace,
  { request, context, client, status, now }: Answered,
  database: Database,
  wallOf: (at: number) => number,
): Message[] {
  const { id: traceId, spanId, parentId, state } = trace;
  const method = methodOf(request.method);
  const isFailed = status >= 500;
  const { address, port } = serverOf(request);
  const server = {
    traceId,
    spanId,
    traceState: state,
    parentSpanId: parentId,
    flags: flags.sampled | flags.isKnown | (parentId === undefined ? 0 : flags.isRemote),
    name: `${method === '_OTHER' ? 'HTTP' : method}${context.route === '' ? '' : ` ${context.route}`}`,
    kind: kinds.server,
    startTimeUnixNano: nanoseconds(wallOf(context.start)),
    endTimeUnixNano: nanoseconds(wallOf(now)),
    attributes: attributesOf({
      'http.request.method': method,
      'http.request.method_original': method === '_OTHER' ? request.method : undefined,
      'http.route': context.route === '' ? undefined : context.route,
      'url.path': context.path,
      'url.scheme': schemeOf(request.peer),
      'http.response.status_code': status,
      'error.type': isFailed ? (context.failure ?? String(status)) : undefined,
      'server.address': address,
      'server.port': port,
      'client.address': client,
      'network.protocol.version': versionOf(request),
      'shelf.request_id': context.requestId,
      'shelf.dropped_stages': trace.dropped === 0 ? undefined : trace.dropped,
    }),
    status: isFailed ? failed : undefined,
  };
  const stages = trace.stages.map(({ stage, start, end, error }) => ({
    traceId,
    spanId: newSpanId(),
    parentSpanId: spanId,
    flags: flags.sampled | flags.isKnown,
    name: stage,
    kind: kindOf(stage, database),
    startTimeUnixNano: nanoseconds(wallOf(start)),
    endTimeUnixNano: nanoseconds(wallOf(end)),
    attributes: attributesOf({
      'db.system.name': stage === 'queue' ? undefined : database,
      'db.operation.name': stage === 'commit' ? 'COMMIT' : undefined,
      'error.type': error,
    }),
    status: error === undefined ? undefined : failed,
  }));
  return [server, ...stages];
}

/** SQLite is in this process, and writes wait for their commit here. */
function kindOf(stage: Stage, database: Database): number {
  return stage !== 'queue' && database === 'postgresql' ? kinds.client : kinds.internal;
}
