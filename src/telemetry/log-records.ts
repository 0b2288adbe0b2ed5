/** Log entries as log records. */
import type { Entry, LogLevel, RequestEntry } from '../http/observe/log-entry.ts';
import type { Attributes, Message, SharedAttributes } from './protobuf.ts';
import { methodOf } from './request-attributes.ts';
import type { RecordedTrace } from './request-trace.ts';

const severities: Readonly<Record<LogLevel, number>> = { info: 9, warn: 13, error: 17 };

/** `wall`: when it was logged, in milliseconds since 1970. */
export function logRecordOf(entry: OtherEntry, wall: number, trace: RecordedTrace | undefined): Message {
  return recordOf(entry, contentOf(entry), wall, trace);
}

export function requestRecord(
  entry: RequestEntry,
  requestAttributes: SharedAttributes,
  wall: number,
  trace: RecordedTrace | undefined,
): Message {
  return recordOf(entry, requestContent(entry), wall, trace, requestAttributes);
}

function recordOf(
  entry: Entry,
  { body, attributes }: Content,
  wall: number,
  trace: RecordedTrace | undefined,
  requestAttributes?: SharedAttributes,
): Message {
  const { level, event } = entry;
  return {
    timeUnixNano: wall,
    observedTimeUnixNano: wall,
    severityNumber: severities[level],
    severityText: level.toUpperCase(),
    eventName: `shelf.${event}`,
    body: { stringValue: body },
    requestAttributes,
    attributes,
    traceId: trace?.id ?? ('trace_id' in entry ? entry.trace_id : undefined),
    spanId: trace?.spanId,
    flags: trace === undefined ? undefined : 1,
  };
}

/** Those of requests are made with what their requests have in common. */
type OtherEntry = Exclude<Entry, RequestEntry>;
type Content = { readonly body: string; readonly attributes: Attributes };

function contentOf(entry: OtherEntry): Content {
  switch (entry.event) {
    case 'error': {
      const { error, request_id } = entry;
      const isError = error instanceof Error;
      return {
        body: isError ? error.message : String(error),
        attributes: {
          'shelf.request_id': request_id === '' ? undefined : request_id,
          'exception.type': isError ? error.name : undefined,
          'exception.message': isError ? error.message : String(error),
          'exception.stacktrace': isError ? Bun.inspect(error) : undefined,
        },
      };
    }
    case 'key': {
      const { action, name, id, by, request_id } = entry;
      const attributes = { 'shelf.request_id': request_id, 'shelf.key': name, 'shelf.key_id': id, 'shelf.caller': by };
      return { body: `API key ${action}`, attributes };
    }
    case 'handshake':
      return { body: entry.reason, attributes: { 'client.address': entry.client } };
    default:
      return { body: entry.message, attributes: {} };
  }
}

function requestContent(entry: RequestEntry): Content {
  const { method, path, status, bytes, ms, client, key, certificate, request_id, slow } = entry;
  return {
    body: `${method} ${path} ${status}`,
    attributes: {
      'http.request.method_original': methodOf(method) === '_OTHER' ? method : undefined,
      'url.path': path === '' ? undefined : path,
      'http.response.body.size': bytes,
      'client.address': client,
      'shelf.request_id': request_id,
      'shelf.duration_us': Math.round(ms * 1000),
      'shelf.caller': key,
      'shelf.certificate': certificate,
      ...(slow === undefined
        ? {}
        : {
            'shelf.body_us': Math.round(slow.body_ms * 1000),
            'shelf.work_us': Math.round(slow.work_ms * 1000),
            'shelf.under_way': slow.under_way,
            'shelf.parameters': slow.parameters.join(),
          }),
    },
  };
}
