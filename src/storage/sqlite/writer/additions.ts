/** Additions of one caller to one collection, which are inserted together. */
import type { Database } from 'bun:sqlite';
import type { TableWriter } from './table-writer.ts';
import type { Clashed } from './thread/outcome.ts';
import type { CreateWrite, Write } from './thread/write-message.ts';

/** `newest` is the number of the last change. */
export function openAdditions(db: Database, tableAt: (place: number) => TableWriter, newest: () => number) {
  const mark = db.prepare<unknown, [traceId: string, changeNumber: number]>(
    'update changes set trace_id = ?1 where seq = ?2',
  );

  /** Afterwards: statements for each trace alone would take longer than to mark its change. */
  function markTraces(run: readonly CreateWrite[], outcomes: readonly (number | Clashed)[]): void {
    let changeNumber = newest() - outcomes.filter((outcome) => typeof outcome === 'number').length;
    outcomes.forEach((outcome, at) => {
      if (typeof outcome !== 'number') return;
      changeNumber++;
      const traceId = run[at]?.traceId;
      if (traceId !== undefined) mark.run(traceId, changeNumber);
    });
  }

  return {
    /** A run of `runAt`. */
    add(run: readonly CreateWrite[], now: string): readonly (number | Clashed)[] {
      const [first] = run;
      if (first === undefined) return [];
      const records = run.map(({ json }) => json);
      const outcomes = tableAt(first.place).append(records, { at: now, by: first.by, traceId: undefined });
      if (run.some(({ traceId }) => traceId !== undefined)) markTraces(run, outcomes);
      return outcomes;
    },
    close: () => mark.finalize(),
  };
}

/** The additions without a key from here on that are for one collection and by one caller; none if this write is another one. */
export function runAt(writes: readonly Write[], at: number): readonly CreateWrite[] {
  const run: CreateWrite[] = [];
  for (let next = writes[at]; isPlainAddition(next) && isOfRun(run, next); next = writes[at + run.length])
    run.push(next);
  return run;
}

function isPlainAddition(write: Write | undefined): write is CreateWrite {
  return write?.op === 'create' && write.once === undefined;
}

function isOfRun([first]: readonly CreateWrite[], { place, by }: CreateWrite): boolean {
  return first === undefined || (first.place === place && first.by === by);
}
