/** Plain data as JSON text, and back, with every digit. */
import { numberOf } from '../../exact/numeral.ts';
import type { Plain } from './declaration.ts';

/** Plain data as JSON text; a bigint with all its digits. */
export function plainJson(plain: unknown): string {
  if (typeof plain === 'bigint') return String(plain);
  if (Array.isArray(plain)) return `[${plain.map(plainJson).join(',')}]`;
  if (typeof plain === 'object' && plain !== null) {
    const members = Object.entries(plain).filter(([, value]) => value !== undefined);
    return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${plainJson(value)}`).join(',')}}`;
  }
  return Object.is(plain, -0) ? '-0' : JSON.stringify(plain);
}

/** An integer that a double cannot hold becomes a bigint. */
export function parsePlain(text: string): Plain {
  // Mostly there is none, and reading without looking at every value is much faster.
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Plain;
  return JSON.parse(text, (_, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? numberOf(context.source) : value,
  ) as Plain;
}
