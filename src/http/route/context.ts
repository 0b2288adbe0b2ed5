/** The state of one request while it is handled. */
import type { Caller } from '../../domain/caller.ts';
import type { FailureCode } from '../../domain/errors.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Headers } from '../../wire/answer/reply.ts';

export type Context = {
  readonly requestId: string;
  /** By `performance.now()`. */
  readonly start: number;
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** Undefined for a request without one, and without OpenTelemetry. */
  readonly trace: Trace | undefined;
  /** The path of the route, as declared; empty if no route matched. */
  route: string;
  caller: Caller | undefined;
  /** Added to the answer, also to a failure. */
  headers: Headers | undefined;
  /** The answer may be for one caller only: shared caches must not store it. */
  private: boolean;
  answered: boolean;
  /** Why the answer is a failure; undefined for any other. */
  failure: FailureCode | undefined;
  /** The slot that `InFlight` has given it; undefined while it has none. */
  slot: number | undefined;
};
