/** Plans the search for a page, a count or changes: which index to walk, and in which order. */
import type { Collection } from '../../../domain/collection.ts';
import type { Filter, Order } from '../../../domain/query.ts';
import type { Page } from '../../../domain/store.ts';
import { column, condition, orderBy } from '../../filter.ts';
import { dialect, readStatements } from '../sql.ts';
import type { Search, Value, Walk } from './search.ts';

const bySeq: Order = { field: 'id', descending: false };
/** Operators that can use an index range. */
const rangeOperators: readonly string[] = ['in', 'gt', 'gte', 'lt', 'lte'];

/** `bytes` limits the size of all rows together. */
export function pageSearch(collection: Collection, { filters, sort, after, limit }: Page, bytes: number): Search {
  const keys = sort.at(-1)?.field === 'id' ? sort : [...sort, bySeq];
  const { where, parameters } = conditionOf(filters, sort, after);
  return {
    select: readStatements(collection).select,
    where,
    parameters,
    order: orderBy(sort),
    sort: keys.map(({ field, descending }) => ({
      column: column(field),
      at: columnIndex(collection, field),
      descending,
    })),
    limit: limit + 1,
    bytes,
    walk: walkOf(collection, filters, keys, after?.values[0] ?? after?.seq),
  };
}

export function countSearch(collection: Collection, filters: readonly Filter[]): Search {
  const { where, parameters } = conditionOf(filters);
  // SQLite counts a whole table fast, without reading the rows.
  const walk = filters.length === 0 ? undefined : walkOf(collection, filters, [], undefined);
  const { total: select } = readStatements(collection);
  return { select, where, parameters, order: undefined, sort: [], limit: 1, bytes: 0, walk };
}

/** With `isPart`, the changes of one collection are read by a walk, because they may be far apart. */
export function changesSearch(
  names: readonly string[],
  isPart: boolean,
  after: number,
  limit: number,
  bytes: number,
): Search {
  const from = 'changes';
  return {
    select: `select seq, collection, type, record_seq, version, created_at, at, updated_at, record from ${from}`,
    where: `seq > ?1 and collection in (${names.map((name) => `'${name}'`).join(', ')})`,
    parameters: [after],
    order: 'order by seq',
    sort: [{ column: 'seq', at: 0, descending: false }],
    limit,
    bytes,
    walk: isPart
      ? { from, keys: ['seq'], descending: false, base: 'seq > ?1', baseParameters: [after], order: 'whole' }
      : undefined,
  };
}

/** Selects no data; the reply still has the number of the last change. */
export const lastChangeSearch: Search = {
  select: 'select 1',
  where: '',
  parameters: [],
  order: undefined,
  sort: [],
  limit: 1,
  bytes: 0,
  walk: undefined,
};

/** The condition without the keyword `where`. */
function conditionOf(filters: readonly Filter[], sort: readonly Order[] = [], after?: Page['after']) {
  const { where, parameters } = condition(dialect, filters, sort, after);
  return { where: where.replace(/^where /, ''), parameters };
}

/** The index of a field in the rows that `readStatements` selects. */
function columnIndex({ fields }: Collection, field: string): number {
  const first = ['id', 'version', 'created_at', 'updated_at'];
  const index = first.indexOf(field);
  return index >= 0 ? index : first.length + Object.keys(fields).indexOf(field === 'external_id' ? 'id' : field);
}

/** Undefined if SQLite reads no more rows than it returns. `from` is the value of the first sort key to start at. */
function walkOf(
  collection: Collection,
  filters: readonly Filter[],
  sort: readonly Order[],
  from: Value | undefined,
): Walk | undefined {
  const { name, indexes } = collection;
  const isIndexed = (field: string) => field === 'external_id' || indexes.includes(field);
  const equal = filters.find(({ field, operator }) => operator === 'eq' && isIndexed(field));
  const inRange = filters.filter(({ field, operator }) => rangeOperators.includes(operator) && isIndexed(field));
  const [first = bySeq, second] = sort;
  const sorted = first.field === 'id' || (equal === undefined && isIndexed(first.field));
  const inList = inRange.find(({ operator }) => operator === 'in');
  // In order of preference: single values (eq, in), which match few rows; the order of the result; any range.
  const entry = equal ?? inList ?? (sorted ? undefined : inRange[0]);
  const key = equal !== undefined ? 'id' : (entry?.field ?? (sorted ? first.field : 'id'));
  const inOrder = first.field === key;
  const descending = inOrder && first.descending;

  const isExact = inOrder && (key === 'id' || (second?.field === 'id' && second.descending === descending));
  if (isExact && filters.every((filter) => filter === equal)) return undefined;

  const base = equal === undefined ? filters.filter(({ field }) => field === key) : [equal];
  const usable = base.filter(({ operator }) => operator === 'eq' || rangeOperators.includes(operator));
  const { where, parameters } = conditionOf(usable);
  const baseParameters: Value[] = [...parameters];
  const conditions = where === '' ? [] : [where];
  if (inOrder && from !== undefined) {
    conditions.push(`${column(key)} ${descending ? '<=' : '>='} ?${baseParameters.push(from)}`);
  }
  return {
    from: `"${name}"${key === 'id' && equal === undefined ? ' not indexed' : ''}`,
    keys: key === 'id' ? ['seq'] : [column(key), 'seq'],
    descending,
    base: conditions.join(' and '),
    baseParameters,
    order: isExact ? 'whole' : inOrder ? 'first key' : 'none',
  };
}
