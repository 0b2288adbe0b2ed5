/** The index that finds the records which an operation changes or counts. */
import type { Collection } from '../../../domain/record/collection.ts';
import { wholeRules } from '../../../domain/record/unique-rules.ts';
import { type Identifier, identifier } from '../../../domain/sql-text.ts';
import { directFilters, type Filter, type Where } from '../../../domain/where/where.ts';
import { columnOf } from '../../query-sql.ts';

/** `filters` are those that the index answers, and `order` are its columns. */
export type IndexUse = { readonly filters: readonly Filter[]; readonly order: readonly Identifier[] };

const ranges: readonly string[] = ['gt', 'gte', 'lt', 'lte'];

/** The one that is likely to find the fewest rows. Without one, all records are read in the order of their ids. */
export function indexFor(collection: Collection, where: Where): IndexUse {
  const filters = directFilters(where);
  const uses = keysOf(collection).map((key) => useOf(collection, filters, key));
  const best = uses.reduce((one, other) => (other.worth > one.worth ? other : one));
  const columns = best.fields.map((field) => columnOf(collection, field).name);
  const seq = identifier('seq');
  return { filters: best.filters, order: columns.includes(seq) ? columns : [...columns, seq] };
}

type Key = { readonly fields: readonly string[]; readonly isUnique: boolean };

/** The record id first, which has an index in any case. */
function keysOf({ contract, unique, indexes }: Collection): readonly Key[] {
  return [
    { fields: ['id'], isUnique: true },
    ...(contract === undefined ? [] : [{ fields: ['external_id'], isUnique: false }]),
    ...wholeRules(unique).map((fields) => ({ fields, isUnique: true })),
    ...indexes.map((fields) => ({ fields, isUnique: false })),
  ];
}

/** Values of the first fields, then a range of the next one. A list of values keeps the order of the index only in its first field. */
function useOf(collection: Collection, filters: readonly Filter[], { fields, isUnique }: Key) {
  const used: Filter[] = [];
  let worth = 0;
  for (const [place, field] of fields.entries()) {
    const own = filters.filter((filter) => filter.field === field);
    const equal = own.find(({ operator, values }) => operator === 'eq' || (operator === 'is' && values[0] === 'null'));
    if (equal !== undefined) {
      used.push(equal);
      worth += isUnique && place === fields.length - 1 ? 100 : 4;
      continue;
    }
    const list = place === 0 ? own.find(({ operator }) => operator === 'in') : undefined;
    const further = list === undefined ? own.filter(({ operator }) => ranges.includes(operator)) : [list];
    used.push(...further);
    if (further.length > 0) worth += list === undefined ? 1 : isUnique && fields.length === 1 ? 50 : 3;
    break;
  }
  // Its index has no record ids: many records with null would be sorted by them before the first one is examined.
  const isSet = (field: string) =>
    columnOf(collection, field).field.declared.optional !== true ||
    used.some((filter) => filter.field === field && filter.operator !== 'is');
  return isUnique && !fields.every(isSet)
    ? { filters: [], fields: ['id'], worth: 0 }
    : { filters: used, fields, worth };
}
