/** Amounts for a look. */

/** Three digits are enough. */
export function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

/** The time of day at this place, to the minute or to the second. */
export function clock(at: string | number, to: 'minute' | 'second' = 'minute'): string {
  const second = to === 'second' ? ({ second: '2-digit' } as const) : {};
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...second });
}
