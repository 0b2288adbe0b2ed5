/** The trace of one request, with the stages that it went through. */
import type { Stage, Trace } from '../domain/trace.ts';

/** A long export may read from the database thousands of times. */
const maxStages = 100;

export type TookStage = {
  readonly stage: Stage;
  readonly start: number;
  readonly end: number;
  readonly error?: string | undefined;
};

export class RecordedTrace implements Trace {
  readonly isRecorded = true;
  readonly stages: TookStage[] = [];
  /** Stages beyond the limit. */
  dropped = 0;

  constructor(
    readonly id: string,
    readonly spanId: string,
    /** The span of the caller; undefined for a trace that begins here. */
    readonly parentId: string | undefined,
    /** The header `tracestate`. */
    readonly state: string | undefined,
  ) {}

  took(stage: Stage, start: number, end: number, error?: string): void {
    if (this.stages.length < maxStages) this.stages.push({ stage, start, end, error });
    else this.dropped++;
  }
}

/** That of a caller which is not sampled. */
export class KnownTrace implements Trace {
  readonly isRecorded = false;

  constructor(readonly id: string) {}

  took(): void {}
}
