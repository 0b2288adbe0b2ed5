/** The clock of changes: monotonic, on the thread that orders them. */
import type { Database } from 'bun:sqlite';
import type { OpenChanges } from './transaction/open-changes.ts';

/** The time of a write, and the name and the trace of its caller; undefined without them. */
export type Stamp = {
  readonly at: string;
  readonly by: string | undefined;
  readonly traceId: string | undefined;
  /** Of the transaction of several operations that the write belongs to, if any. */
  readonly open?: OpenChanges;
};

/** The name and the trace as values of columns. */
export function callerIn({ by, traceId }: Stamp): readonly [string | null, string | null] {
  return [by ?? null, traceId ?? null];
}

/** `wall` is the system clock, which can be set back at any moment. */
export function openClock(db: Database, wall: () => number = Date.now): () => string {
  using newest = db.prepare<{ at: string }, []>('select at from changes order by seq desc limit 1');
  let last = newest.get()?.at ?? '';
  return () => {
    const now = new Date(wall()).toISOString();
    if (now > last) last = now;
    return last;
  };
}

export function momentBefore(moment: string, ms: number): string {
  return new Date(Date.parse(moment) - ms).toISOString();
}
