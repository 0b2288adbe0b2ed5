/** Milliseconds as they are shown: to the microsecond. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
