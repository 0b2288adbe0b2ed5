/** The figures of the last hour, in the form of the home screen. */
import { type Figures, failureCounts, type Sample } from '../../api/figures.ts';
import { short } from '../../parts/values/amount.ts';
import { failureWords } from './failure-words.ts';

const minute = 60_000;
const minutes = 60;

/** The changes of each minute up to now; a minute before the start of the server has none. */
export function inMinutes({ samples }: Figures, now: number) {
  const last = Math.floor(now / minute);
  const changes = Array<number>(minutes).fill(0);
  for (const { at, writes } of samples) {
    const place = minutes - 1 - (last - Math.floor(Date.parse(at) / minute));
    if (place >= 0 && place < minutes) changes[place] = (changes[place] ?? 0) + writes;
  }
  return { times: changes.map((_, place) => ((last - minutes + 1 + place) * minute) / 1000), changes };
}

export function lastMinute({ samples, sample_seconds: seconds }: Figures) {
  const recent = samples.slice(-Math.ceil(60 / seconds));
  const requests = recent.reduce((sum, one) => sum + one.requests, 0);
  const worst = recent.reduce<number | null>(
    (most, { p99_ms: ms }) => (ms === null ? most : Math.max(most ?? 0, ms)),
    null,
  );
  const newest: Sample | undefined = recent.at(-1);
  return {
    requestsPerSecond: short(requests / Math.max(1, recent.length * seconds)),
    p99Ms: worst === null ? '\u2013' : `${short(worst)} ms`,
    memoryMiB: newest === undefined ? '\u2013' : `${Math.round(newest.memory_bytes / 1024 / 1024)} MiB`,
    connections: newest === undefined ? '\u2013' : String(newest.connections),
  };
}

/** The most frequent first, such as `12 requests asked for a record that is not there`. */
export function failuresIn({ samples }: Figures): string[] {
  return failureCounts(samples).map(
    ([code, count]) =>
      `${count} ${count === 1 ? 'request' : 'requests'} ${failureWords[code] ?? `failed with ${code}`}`,
  );
}
