/** The time as ISO text. Made once per millisecond: a busy server writes hundreds of log lines in one. */
export function isoClock(wall: () => number = Date.now, clock: () => number = () => performance.now()) {
  let last = Number.NaN;
  let text = '';
  /** The wall-clock time of `at`, a value of `performance.now()`: that clock goes on evenly when the system's clock is set. */
  return (at: number): string => {
    const tick = Math.floor(at);
    if (tick !== last) {
      last = tick;
      text = new Date(wall() - (clock() - at)).toISOString();
    }
    return text;
  };
}
