/** The steps of a command, each with its own progress. */
import { type Progress, progressOn, type Screen } from './progress.ts';

export function stepsOn(screen: Screen) {
  let current: Progress | undefined;
  let done = 0;
  let total: number | undefined;
  const end = () => current?.end();
  return {
    /** `doing` is as in "Copying"; `of` is the number of records, if it is known. */
    begin(doing: string, of?: number): void {
      end();
      current = progressOn(screen, doing);
      done = 0;
      total = of;
      current.at(0, of);
    },
    add(records: number): void {
      done += records;
      current?.at(done, total);
    },
    end,
  };
}
