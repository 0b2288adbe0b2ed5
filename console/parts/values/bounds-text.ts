/** The bounds of a field in words; undefined without bounds. */
export function boundsText(min: unknown, max: unknown, unit: string): string | undefined {
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`;
  if (min !== undefined) return `at least ${min}${unit}`;
  return max === undefined ? undefined : `at most ${max}${unit}`;
}
