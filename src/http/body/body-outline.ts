/** A copy of a large body that is cheap to send between threads: its own members; nested values only by kind. */

import type { Json } from '../../domain/input/json.ts';
import { namesIn } from '../../domain/input/names-in.ts';
import type { Members } from '../../domain/record/row.ts';
import { exactInteger } from '../../exact/integer.ts';

type ValueOutline = string | number | boolean | null | readonly [] | { readonly [key: string]: never };
/**
 * `literal` has the exact digits of a number that a double may have rounded, `text` the whole value where it is needed. `other`
 * is for a body that is not an object.
 */
type Member = readonly [key: string, value: ValueOutline, literal: string | undefined, text: string | undefined];
export type BodyOutline = { readonly members: readonly Member[] } | { readonly other: ValueOutline };

export function outlineOf(json: Json, { keys, texts }: Members): BodyOutline {
  const { value } = json;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { other: kindOf(value) };
  const members = value as Readonly<Record<string, unknown>>;
  return {
    members: namesIn(members, (key) => keys.includes(key)).map((key) => [
      key,
      kindOf(members[key]),
      shortened(json.literal(key)),
      texts.includes(key) ? json.text(key) : undefined,
    ]),
  };
}

export function jsonOf(copy: BodyOutline): Json {
  if ('other' in copy) return { value: copy.other, literal: () => undefined, text: () => undefined };
  const literals = new Map(copy.members.map(([key, , literal]) => [key, literal]));
  const texts = new Map(copy.members.map(([key, , , text]) => [key, text]));
  return {
    value: Object.fromEntries(copy.members.map(([key, value]) => [key, value])),
    literal: (key) => literals.get(key),
    text: (key) => texts.get(key),
  };
}

/** Replaces a very long number by a short one that validates the same: that integer, a fraction, or one out of range. */
function shortened(literal: string | undefined): string | undefined {
  if (literal === undefined || literal.length < 1000) return literal;
  const exact = exactInteger(literal);
  return typeof exact === 'bigint' ? String(exact) : exact === 'fraction' ? '0.5' : '1e999';
}

function kindOf(value: unknown): ValueOutline {
  if (typeof value !== 'object') return value as ValueOutline;
  return value === null ? null : Array.isArray(value) ? [] : {};
}
