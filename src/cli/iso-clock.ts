/** The time as ISO text. Made once per millisecond: a busy server writes hundreds of log lines in one. */
export function isoClock(time: () => number = Date.now): (now: number) => string {
  let last = Number.NaN;
  let text = '';
  /** `now` is of `performance.now()`, which only says whether a millisecond has passed: it does not follow a clock that is set. */
  return (now) => {
    const tick = Math.floor(now);
    if (tick !== last) {
      last = tick;
      text = new Date(time()).toISOString();
    }
    return text;
  };
}
