/** The steps of a command, each with its own progress. Records and changes are counted apart. */
import type { RowKind } from '../../storage/transfer/contents.ts';
import { type Progress, progressOn, type Screen } from './progress.ts';

/** How many of each there are, where that is known. */
export type Totals = Partial<Readonly<Record<RowKind, number>>>;

export function stepsOn(screen: Screen) {
  let current: Progress | undefined;
  let doing = '';
  let counting: RowKind = 'record';
  let done = 0;
  let totals: Totals = {};
  const end = () => current?.end();
  function count(thing: RowKind): void {
    end();
    counting = thing;
    current = progressOn(screen, doing, thing);
    done = 0;
    current.at(0, totals[thing]);
  }
  return {
    /** `what` is as in "Copying". */
    begin(what: string, of: Totals = {}): void {
      doing = what;
      totals = of;
      count('record');
    },
    add(rows: number, thing: RowKind = 'record'): void {
      if (thing !== counting) count(thing);
      done += rows;
      current?.at(done, totals[thing]);
    },
    end,
  };
}
