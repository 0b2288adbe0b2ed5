/** Amounts for a look. */

/** Three digits are enough. */
export function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

/** The time of day in UTC, as everywhere in the console, to the minute or to the second. */
export function clock(at: string | number, to: 'minute' | 'second' = 'minute'): string {
  return new Date(at).toISOString().slice(11, to === 'minute' ? 16 : 19);
}
