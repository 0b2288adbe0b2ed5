/** The spans of a request: that of the server, and one for each stage. */
import type { Stage } from '../domain/trace.ts';
import type { Answered } from '../http/observe/telemetry.ts';
import type { Message, SharedAttributes } from './protobuf.ts';
import { methodOf } from './request-attributes.ts';
import type { RecordedTrace, TookStage } from './request-trace.ts';
import { newSpanId } from './trace-context.ts';

const kinds = { internal: 1, server: 2, client: 3 };
const failed = { code: 2 };
/** Sampled; whether the parent is of another process is known, and it is. */
const flags = { sampled: 1, isKnown: 0x100, isRemote: 0x200 };

export type Database = 'postgresql' | 'sqlite';

/** Makes a value of `performance.now()` milliseconds since 1970. */
type WallOf = (at: number) => number;

export function serverSpan(
  { id: traceId, spanId, parentId, state, dropped }: RecordedTrace,
  { request, context, client, status, now }: Answered,
  requestAttributes: SharedAttributes,
  serverAttributes: SharedAttributes,
  wallOf: WallOf,
): Message {
  const method = methodOf(request.method);
  const isOther = method === '_OTHER';
  return {
    traceId,
    spanId,
    traceState: state,
    parentSpanId: parentId,
    flags: flags.sampled | flags.isKnown | (parentId === undefined ? 0 : flags.isRemote),
    name: `${isOther ? 'HTTP' : method}${context.route === '' ? '' : ` ${context.route}`}`,
    kind: kinds.server,
    startTimeUnixNano: wallOf(context.start),
    endTimeUnixNano: wallOf(now),
    requestAttributes,
    serverAttributes,
    attributes: {
      'http.request.method_original': isOther ? request.method : undefined,
      'url.path': context.path,
      'client.address': client,
      'shelf.request_id': context.requestId,
      'shelf.dropped_stages': dropped === 0 ? undefined : dropped,
    },
    status: status >= 500 ? failed : undefined,
  };
}

export function stageSpan(
  { id: traceId, spanId }: RecordedTrace,
  { stage, start, end, error }: TookStage,
  database: Database,
  wallOf: WallOf,
): Message {
  return {
    traceId,
    spanId: newSpanId(),
    parentSpanId: spanId,
    flags: flags.sampled | flags.isKnown,
    name: stage,
    kind: kindOf(stage, database),
    startTimeUnixNano: wallOf(start),
    endTimeUnixNano: wallOf(end),
    attributes: {
      'db.system.name': stage === 'queue' ? undefined : database,
      'db.operation.name': stage === 'commit' ? 'COMMIT' : undefined,
      'error.type': error,
    },
    status: error === undefined ? undefined : failed,
  };
}

/** SQLite is in this process, and writes wait for their commit here. */
function kindOf(stage: Stage, database: Database): number {
  return stage !== 'queue' && database === 'postgresql' ? kinds.client : kinds.internal;
}
