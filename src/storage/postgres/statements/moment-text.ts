/** Moments as text: UTC with milliseconds. Most records of a page are from one day, and were not changed. */

const dayMs = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/** Returns what `toISOString` returns, in less time. */
export function momentWriter(): (moment: Date) => string {
  let day = Number.NaN;
  let date = '';
  let latest = Number.NaN;
  let text = '';
  return (moment) => {
    const ms = moment.getTime();
    if (ms === latest) return text;
    const days = Math.floor(ms / dayMs);
    if (days !== day) {
      date = moment.toISOString().slice(0, -'00:00:00.000Z'.length);
      day = days;
    }
    const time = ms - days * dayMs;
    const hours = twoDigits[Math.floor(time / 3_600_000)];
    const minutes = twoDigits[Math.floor(time / 60_000) % 60];
    const seconds = twoDigits[Math.floor(time / 1000) % 60];
    text = `${date}${hours}:${minutes}:${seconds}.${String(time % 1000).padStart(3, '0')}Z`;
    latest = ms;
    return text;
  };
}
