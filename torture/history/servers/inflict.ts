/** Faults one after the other, with pauses in which the servers recover. */
import type { Random } from '../../../test/support/data/random.ts';
import type { Fault } from './setup.ts';

const longestPauseMs = { short: 300, long: 1500 };

/** Every fault once, or for `minutes` or `rounds` all of them in a new random order each time. Returns the counts by name. */
export async function inflictAll(
  faults: readonly Fault[],
  random: Random,
  { minutes, rounds }: { readonly minutes?: number | undefined; readonly rounds?: number },
  progress: (inflicted: ReadonlyMap<string, number>) => void,
): Promise<ReadonlyMap<string, number>> {
  const inflicted = new Map<string, number>();
  const end = performance.now() + (minutes ?? 0) * 60_000;
  const most = rounds ?? (minutes === undefined ? faults.length : Number.POSITIVE_INFINITY);
  const pauseMs = minutes === undefined && rounds === undefined ? longestPauseMs.short : longestPauseMs.long;
  for (let count = 0; ; ) {
    for (const fault of random.shuffled(faults)) {
      await Bun.sleep(random.between(100, pauseMs));
      await fault.inflict(random);
      inflicted.set(fault.name, (inflicted.get(fault.name) ?? 0) + 1);
      progress(inflicted);
      count++;
      if (count >= most || (minutes !== undefined && performance.now() > end)) return inflicted;
    }
  }
}
