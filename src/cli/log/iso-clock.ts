/** The time as ISO text. Made once per millisecond: a busy server writes hundreds of log lines in one. */
export function isoClock(wall: () => number = Date.now, clock: () => number = () => performance.now()) {
  let last = Number.NaN;
  let text = '';
  /** `at` is a value of `performance.now()`, which does not follow a clock that is set. */
  return (at: number): string => {
    const tick = Math.floor(at);
    if (tick !== last) {
      last = tick;
      text = new Date(wall() - (clock() - at)).toISOString();
    }
    return text;
  };
}
