/** What one serving thread observes: the spans and log records of its requests in batches, and its figures. */
import type { Trace } from '../domain/trace.ts';
import type { Entry } from '../http/observe/log-entry.ts';
import type { Answered, Telemetry } from '../http/observe/telemetry.ts';
import type { Context } from '../http/route/context.ts';
import type { Incoming, Peer } from '../wire/request/incoming.ts';
import { Batch } from './batch.ts';
import { logRecordOf, requestRecord } from './log-records.ts';
import { requestBody } from './otlp.ts';
import { random32 } from './random.ts';
import { labelsOf, methodOf, ServerAttributes, schemeOf } from './request-attributes.ts';
import { RequestMetrics } from './request-metrics.ts';
import { KnownTrace, RecordedTrace } from './request-trace.ts';
import { Sampler } from './sampler.ts';
import type { Signal, TelemetrySettings } from './settings.ts';
import { type Database, serverSpan, stageSpan } from './spans.ts';
import { newSpanId, newTraceId, parentIn } from './trace-context.ts';

/** Takes the body of a request with so many spans or log records. */
export type Sink = (signal: Signal, bytes: Uint8Array, count: number) => void;

/** In characters: W3C lets a server drop a longer one. */
const maxState = 512;

export class ThreadTelemetry implements Telemetry {
  readonly metrics = new RequestMetrics();
  readonly #servers = new ServerAttributes();
  readonly #sampler: Sampler;
  readonly #spans: Batch | undefined;
  readonly #records: Batch | undefined;
  /** Recorded traces of requests that are not answered, by request id: for the entry of an error. */
  readonly #open = new Map<string, RecordedTrace>();

  constructor(
    { targets, sampler, resource }: TelemetrySettings,
    readonly database: Database,
    sink: Sink,
  ) {
    this.#sampler = new Sampler(sampler);
    const batch = (signal: Signal) => {
      const target = targets[signal];
      if (target === undefined) return undefined;
      return new Batch(
        () => requestBody(signal, resource, target.protocol),
        (bytes, count) => sink(signal, bytes, count),
      );
    };
    this.#spans = batch('traces');
    this.#records = batch('logs');
  }

  begin(request: Incoming, requestId: string): Trace | undefined {
    this.metrics.began(methodOf(request.method), schemeOf(request.peer));
    const parent = request.head.fields.identified ? parentIn(request.header('traceparent')) : undefined;
    if (parent === undefined) {
      const random = random32();
      if (this.#spans === undefined || !this.#sampler.takesNew(random)) return undefined;
      return this.#record(requestId, new RecordedTrace(newTraceId(random), newSpanId(), undefined, undefined));
    }
    const { traceId, spanId } = parent;
    if (this.#spans === undefined || !this.#sampler.takesChild(parent)) return new KnownTrace(traceId);
    const state = request.header('tracestate');
    const kept = state === null || state === '' || state.length > maxState ? undefined : state;
    return this.#record(requestId, new RecordedTrace(traceId, newSpanId(), spanId, kept));
  }

  count(request: Incoming, context: Context, status: number, ms: number): void {
    this.metrics.request(labelsOf(request, context, status), ms);
  }

  countRefusal(peer: Peer, status: number): void {
    const sent = { method: '_OTHER', scheme: schemeOf(peer), version: undefined };
    this.metrics.request({ ...sent, route: '', status, error: undefined }, 0);
  }

  finish(answered: Answered): void {
    const { request, context, entry, status, now } = answered;
    const trace = context.trace instanceof RecordedTrace ? context.trace : undefined;
    const wallOf = wallClock();
    const attributes = this.metrics.attributesOf(labelsOf(request, context, status));
    if (entry !== undefined) this.#records?.add(requestRecord(entry, attributes, wallOf(now), trace));
    if (trace === undefined) return;
    this.#open.delete(context.requestId);
    this.#spans?.add(serverSpan(trace, answered, attributes, this.#servers.of(request), wallOf));
    for (const took of trace.stages) this.#spans?.add(stageSpan(trace, took, this.database, wallOf));
  }

  /** Entries of requests come with `finish`: those of unrecorded traces that were neither slow nor failed are not sent. */
  log(entry: Entry, now = performance.now()): void {
    if (entry.event === 'request') return;
    const trace = 'request_id' in entry ? this.#open.get(entry.request_id) : undefined;
    this.#records?.add(logRecordOf(entry, wallClock()(now), trace));
  }

  /** Gives what waits to the sink. */
  flush(): void {
    this.#spans?.flush();
    this.#records?.flush();
  }

  #record(requestId: string, trace: RecordedTrace): RecordedTrace {
    this.#open.set(requestId, trace);
    return trace;
  }
}

/** Milliseconds since 1970 at a value of `performance.now()`, by the system's clock of this moment: it may have been set since the start. */
function wallClock(): (at: number) => number {
  const offset = Date.now() - performance.now();
  return (at) => at + offset;
}
