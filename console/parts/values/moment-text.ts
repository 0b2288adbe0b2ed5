/** Times as text: as a person says it, and in the one form of the console, which is in UTC. */
import { momentOf } from '../../../src/exact/moment.ts';

const steps = [
  { unit: 'second', ms: 1000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'day', ms: 86_400_000 },
] as const;
/** A date says more about what is further away. */
const farMs = 30 * 86_400_000;

export function momentText(at: string, now: number): string {
  const away = Date.parse(at) - now;
  if (Math.abs(away) >= farMs) return at.slice(0, 10);
  const { unit, ms } = steps.findLast((step) => Math.abs(away) >= step.ms) ?? steps[0];
  return awayText(Math.trunc(away / ms), unit);
}

/** As `Intl.RelativeTimeFormat` says it, which takes longer to make than a screen to draw. */
function awayText(count: number, unit: (typeof steps)[number]['unit']): string {
  if (count === 0) return 'now';
  if (unit === 'day' && Math.abs(count) === 1) return count > 0 ? 'tomorrow' : 'yesterday';
  const amount = `${Math.abs(count)} ${unit}${Math.abs(count) === 1 ? '' : 's'}`;
  return count > 0 ? `in ${amount}` : `${amount} ago`;
}

/** `2026-11-15 08:00:00`, with milliseconds if there are some. */
export function timeText(at: string): string {
  return at.replace('T', ' ').replace(/(?:\.000)?Z$/, '');
}

/** The time that a person has typed, as the API writes it; undefined if it is none. Without a zone it is in UTC. */
export function timeIn(text: string): string | undefined {
  const [, day, minute, rest = ':00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ]+(\d\d:\d\d)(:\d\d(?:\.\d+)?)?\s*(Z|UTC|[+-]\d\d:\d\d)?)?$/i.exec(text.trim()) ?? [];
  return day === undefined
    ? undefined
    : momentOf(`${day}T${minute ?? '00:00'}${rest}${zone.toUpperCase() === 'UTC' ? 'Z' : zone}`);
}
