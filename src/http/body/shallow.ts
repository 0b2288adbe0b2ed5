/** A copy of a large body that is cheap to send between threads: its own members; nested values only by kind. */
import { exactInteger } from '../../domain/integer.ts';
import type { Json } from '../../domain/json.ts';

type Outline = string | number | boolean | null | readonly [] | { readonly [key: string]: never };
/** `literal` has the exact digits of a number that a double may have rounded. `other` is for a body that is not an object. */
export type Shallow =
  | { readonly members: readonly (readonly [key: string, value: Outline, literal: string | undefined])[] }
  | { readonly other: Outline };

/** Members beyond this number are dropped, unless they are in `keys`. */
const maxMembers = 200;

export function shallow({ value, literal }: Json, keys: readonly string[]): Shallow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { other: kindOf(value) };
  const all = Object.entries(value);
  const included =
    all.length <= maxMembers
      ? all
      : [...all.slice(0, maxMembers), ...all.slice(maxMembers).filter(([key]) => keys.includes(key))];
  return { members: included.map(([key, member]) => [key, kindOf(member), shortened(literal(key))]) };
}

export function jsonOf(copy: Shallow): Json {
  if ('other' in copy) return { value: copy.other, literal: () => undefined };
  const literals = new Map(copy.members.map(([key, , literal]) => [key, literal]));
  return {
    value: Object.fromEntries(copy.members.map(([key, value]) => [key, value])),
    literal: (key) => literals.get(key),
  };
}

/** Replaces a very long number by a short one that validates the same: that integer, a fraction, or one out of range. */
function shortened(literal: string | undefined): string | undefined {
  if (literal === undefined || literal.length < 1000) return literal;
  const exact = exactInteger(literal);
  return typeof exact === 'bigint' ? String(exact) : exact === 'fraction' ? '0.5' : '1e999';
}

function kindOf(value: unknown): Outline {
  if (typeof value !== 'object') return value as Outline;
  return value === null ? null : Array.isArray(value) ? [] : {};
}
