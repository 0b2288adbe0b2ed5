/** What of a large body is worth telling another thread: its own members, and of what lies deeper only the kind. */
import { exactInteger } from '../../domain/integer.ts';
import type { Json } from '../../domain/json.ts';

type Outline = string | number | boolean | null | readonly [] | { readonly [key: string]: never };
/** Members with their digits where a double may have lost some; of what is no object, the kind. */
export type Shallow =
  | { readonly members: readonly (readonly [key: string, value: Outline, literal: string | undefined])[] }
  | { readonly other: Outline };

/** Members beyond these, unless they are asked for, are not told. */
const most = 200;

export function shallow({ value, literal }: Json, keys: readonly string[]): Shallow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { other: kindOf(value) };
  const all = Object.entries(value);
  const asked =
    all.length <= most ? all : [...all.slice(0, most), ...all.slice(most).filter(([key]) => keys.includes(key))];
  return { members: asked.map(([key, member]) => [key, kindOf(member), shortened(literal(key))]) };
}

export function jsonOf(told: Shallow): Json {
  if ('other' in told) return { value: told.other, literal: () => undefined };
  const literals = new Map(told.members.map(([key, , literal]) => [key, literal]));
  return {
    value: Object.fromEntries(told.members.map(([key, value]) => [key, value])),
    literal: (key) => literals.get(key),
  };
}

/** However many digits there are, a few say the same: what integer it is, or why it is none. */
function shortened(literal: string | undefined): string | undefined {
  if (literal === undefined || literal.length < 1000) return literal;
  const exact = exactInteger(literal);
  return typeof exact === 'bigint' ? String(exact) : exact === 'fraction' ? '0.5' : '1e999';
}

function kindOf(value: unknown): Outline {
  if (typeof value !== 'object') return value as Outline;
  return value === null ? null : Array.isArray(value) ? [] : {};
}
