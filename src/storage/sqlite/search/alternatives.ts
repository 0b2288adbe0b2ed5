/** `any` at the top of the conditions: if an index finds the records of each of its alternatives, a search looks at no others. */
import type { Collection } from '../../../domain/record/collection.ts';
import { directFilters, type Filter, isFilter, type Where } from '../../../domain/where/where.ts';
import { predicate } from '../../query-sql.ts';
import { dialect } from '../statements/collection-sql.ts';

const single: readonly string[] = ['eq', 'in'];

/** Conditions of which a record meets at least one, each on one value of an index. Undefined if there are none. */
export function alternativesOf(
  collection: Collection,
  where: Where,
  isIndexed: (field: string) => boolean,
): readonly string[] | undefined {
  const isEntry = ({ field, operator }: Filter) => single.includes(operator) && isIndexed(field);
  for (const condition of where) {
    if (isFilter(condition) || 'not' in condition) continue;
    const entries = condition.any.flatMap((one) => directFilters(one).find(isEntry) ?? []);
    if (entries.length === 0 || entries.length < condition.any.length) continue;
    return entries.flatMap(({ field, values }) =>
      values.map((value) => predicate(dialect, collection, [{ field, operator: 'eq', values: [value] }])),
    );
  }
  return undefined;
}
