/** Faults one after the other, with pauses in which the servers recover. */
import type { Random } from '../../test/random.ts';
import type { Fault } from './setup.ts';

const longestPauseMs = { short: 500, long: 1500 };

/** Every fault once, or for `minutes` all of them in a new random order each time. Returns the counts by name. */
export async function inflictAll(
  faults: readonly Fault[],
  random: Random,
  minutes: number | undefined,
  progress: (inflicted: ReadonlyMap<string, number>) => void,
): Promise<ReadonlyMap<string, number>> {
  const inflicted = new Map<string, number>();
  const end = performance.now() + (minutes ?? 0) * 60_000;
  const pauseMs = minutes === undefined ? longestPauseMs.short : longestPauseMs.long;
  do {
    for (const fault of random.shuffled(faults)) {
      await Bun.sleep(random.between(100, pauseMs));
      await fault.inflict(random);
      inflicted.set(fault.name, (inflicted.get(fault.name) ?? 0) + 1);
      progress(inflicted);
      if (minutes !== undefined && performance.now() > end) break;
    }
  } while (performance.now() < end);
  return inflicted;
}
