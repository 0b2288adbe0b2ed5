/** The trace that a request belongs to (W3C Trace Context), with OpenTelemetry on. */

/** `queue`: a write waits for its commit. `database`: the database works on a read or a write. */
export type Stage = 'queue' | 'commit' | 'database';

export interface Trace {
  /** 32 hexadecimal digits; the changes of the request have it. */
  readonly id: string;
  /** Whether its spans are sent; one that is not sampled has only its id. */
  readonly isRecorded: boolean;
  /**
   * A stage of the request lasted from `start` to `end`, by `performance.now()`; `error` is the kind of failure that ended it. Does
   * nothing for a trace that is not recorded.
   */
  took(stage: Stage, start: number, end: number, error?: string): void;
}
