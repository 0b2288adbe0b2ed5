/** What the observer tells OpenTelemetry of requests; src/telemetry has it, which is loaded only if a collector is set. */
import type { Trace } from '../../domain/trace.ts';
import type { Incoming, Peer } from '../../wire/request/incoming.ts';
import type { Context } from '../route/context.ts';
import type { RequestEntry } from './log-entry.ts';

export interface Telemetry {
  /** Undefined for a request that belongs to no trace: it came without one, and is not sampled. */
  begin(request: Incoming, requestId: string): Trace | undefined;
  /** Called for every request that began, when it is answered. */
  count(request: Incoming, context: Context, status: number, ms: number): void;
  /** Called after `count` for a request whose trace is recorded, and for one that was slow or has failed on the server. */
  finish(answered: Answered): void;
  /** Input that was no request. */
  countRefusal(peer: Peer, status: number): void;
}

export type Answered = {
  readonly request: Incoming;
  readonly context: Context;
  /** The address of the client. */
  readonly client: string;
  readonly status: number;
  /** When it was answered, by `performance.now()`. */
  readonly now: number;
  /** Its log entry; undefined below the level of the log. */
  readonly entry: RequestEntry | undefined;
};
