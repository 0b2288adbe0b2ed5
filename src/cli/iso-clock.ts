/** The time as ISO text. Made once per millisecond: a busy server writes hundreds of log lines in one. */
export function isoClock(now: () => number = Date.now): () => string {
  let last = Number.NaN;
  let text = '';
  return () => {
    const ms = now();
    if (ms !== last) {
      last = ms;
      text = new Date(ms).toISOString();
    }
    return text;
  };
}
