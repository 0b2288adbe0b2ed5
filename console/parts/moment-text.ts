/** A time as a person says it. */

const steps = [
  { unit: 'second', ms: 1000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'day', ms: 86_400_000 },
] as const;
/** A date says more about what is further away. */
const farMs = 30 * 86_400_000;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export function momentText(at: string, now: number): string {
  const away = Date.parse(at) - now;
  if (Math.abs(away) >= farMs) return at.slice(0, 10);
  const { unit, ms } = steps.findLast((step) => Math.abs(away) >= step.ms) ?? steps[0];
  return words.format(Math.trunc(away / ms), unit);
}
