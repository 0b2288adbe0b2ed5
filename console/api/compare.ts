/** Orders records as the server does, so that a new one appears where a reload would show it. */
import { compareDecimals, compareText } from '../../src/exact/compare.ts';
import type { JsonText } from '../../src/exact/json-text.ts';
import type { Column } from './columns.ts';
import type { Order } from './query.ts';

/** Values by their column. */
export type Values = ReadonlyMap<string, JsonText>;

/** Nulls come last in both directions, and records that are equal are in the order of their ids. */
export function orderOf(sort: readonly Order[], columns: readonly Column[]): (one: Values, other: Values) => number {
  const keys = [...sort, { field: 'id', down: false }].map(({ field, down }) => ({
    field,
    down,
    compare: comparisonFor(columns.find(({ name }) => name === field)?.field.type ?? 'text'),
  }));
  return (one, other) => {
    for (const { field, down, compare } of keys) {
      const [first, second] = [one.get(field) ?? 'null', other.get(field) ?? 'null'];
      if (first === second) continue;
      if (first === 'null') return 1;
      if (second === 'null') return -1;
      const order = compare(first, second);
      if (order !== 0) return down ? -order : order;
    }
    return 0;
  };
}

type Comparison = (one: JsonText, other: JsonText) => number;

function comparisonFor(type: string): Comparison {
  if (type === 'integer' || type === 'reference') return byInteger;
  if (type === 'number') return (one, other) => Number(one) - Number(other);
  if (type === 'boolean') return (one, other) => Number(one === 'true') - Number(other === 'true');
  const compare = type === 'decimal' ? compareDecimals : compareText;
  return (one, other) => compare(JSON.parse(one), JSON.parse(other));
}

function byInteger(one: JsonText, other: JsonText): number {
  return Number(BigInt(one) > BigInt(other)) - Number(BigInt(one) < BigInt(other));
}
