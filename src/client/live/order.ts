/** The order of a list, the same as the server's. */
import { compareDecimals, compareText } from '../../exact/compare.ts';

export type Row = Readonly<Record<string, unknown>>;
type Compare = (one: Row, other: Row) => number;

/** `types` are those of the fields. Nulls come last in both directions, and ties are in the order of their ids. */
export function orderOf(sort: readonly string[], types: ReadonlyMap<string, string>): Compare {
  const keys = [...sort, 'id'].map((entry) => {
    const field = entry.replace(/^-/, '');
    return {
      field,
      isDown: entry.startsWith('-'),
      texts: types.get(field) === 'decimal' ? compareDecimals : compareText,
    };
  });
  return (one, other) => {
    for (const { field, isDown, texts } of keys) {
      const [first, second] = [one[field] ?? null, other[field] ?? null];
      if (first === null || second === null) {
        if (first !== second) return first === null ? 1 : -1;
        continue;
      }
      const order =
        typeof first === 'string' && typeof second === 'string'
          ? texts(first, second)
          : first < second
            ? -1
            : Number(first > second);
      if (order !== 0) return isDown ? -order : order;
    }
    return 0;
  };
}
