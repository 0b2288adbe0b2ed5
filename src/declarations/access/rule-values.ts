/** Values of the request in rules: `$caller.CLAIM`, `$now` and `$today`. */
import { types } from '../../domain/types/all-types.ts';
import { type Field, filterKind } from '../../domain/types/type.ts';
import type { JsonKind } from '../../exact/json-text.ts';

export function isRequestValue(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('$');
}

/** What is wrong with such a value for a field; undefined if it can be right. */
export function requestValueMistake(value: string, { declared }: Pick<Field, 'declared'>): string | undefined {
  if (/^\$caller\.[!-~]{1,200}$/.test(value)) return undefined;
  const clock = Object.values(types).find((type) => type.clock?.preset === value)?.clock;
  if (clock === undefined) return `has ${JSON.stringify(value)}: after a dollar sign comes caller.CLAIM, now or today`;
  if (types[declared.type]?.clock?.preset === value) return undefined;
  return `cannot be compared with ${value}, which is the ${clock.what} of the request: the field is of type ${declared.type}`;
}

/** A value that a filter of the field accepts, in the place of one that is known only with a request. */
export function sampleOf({ filter, example }: Field): unknown {
  const { enum: listed = [] } = filter.schema as { readonly enum?: readonly unknown[] };
  const candidates = [...listed, example, 1, 'a', true, '2026-01-01', '2026-01-01T00:00:00.000Z', '1'];
  const wanted = filterKind(filter);
  return candidates.find((one) => kindOf(one) === wanted && filter.parse(String(one)) !== undefined);
}

function kindOf(value: unknown): JsonKind | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? (typeof value as JsonKind)
    : undefined;
}
