/** Plans the search for a page, a count or changes: which index to walk, and in which order. */

import type { Order } from '../../../domain/input/query.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { wholeRules } from '../../../domain/record/unique-rules.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import type { Page } from '../../../domain/store/page.ts';
import { directFilters, type Filter, type Where } from '../../../domain/where/where.ts';
import { lookupsOf } from '../../../domain/words/split.ts';
import { columnOf, condition, orderBy } from '../../query-sql.ts';
import { changeColumns } from '../../rows/change.ts';
import { dialect, readStatements } from '../statements/collection-sql.ts';
import { matchOf, wordsTable } from '../statements/words-sql.ts';
import { alternativesOf } from './alternatives.ts';
import type { Search } from './search.ts';
import type { Value, Walk } from './slices.ts';
import { conditionWithSets } from './word-sets.ts';

export const byRecordId: Order = { field: 'id', descending: false };
/** Operators that can use an index range. */
const bounds: readonly string[] = ['gt', 'gte', 'lt', 'lte'];
const rangeOperators: readonly string[] = ['in', ...bounds];

/** `bytes` limits the size of all rows together. */
export function pageSearch(collection: Collection, page: Page, bytes: number): Search {
  return { ...listSearch(collection, page, bytes), select: readStatements(collection).select };
}

function listSearch(
  collection: Collection,
  { where, sort, after, limit }: Page,
  bytes: number,
): Omit<Search, 'select'> {
  const keys = sort.at(-1)?.field === 'id' ? sort : [...sort, byRecordId];
  return {
    ...selectionOf(collection, where, keys, sort, after),
    order: orderBy(collection, sort),
    sort: keys.map(({ field, descending }) => ({
      column: columnOf(collection, field).name,
      at: columnIndex(collection, field),
      descending,
    })),
    limit: limit + 1,
    bytes,
  };
}

/** All records, in one statement. */
export function wholeSearch(collection: Collection, page: Page): Search {
  const { sql: where, ...found } = conditionWithSets(collection, page.where, page.sort);
  return { ...pageSearch(collection, page, Number.POSITIVE_INFINITY), where, ...found, walk: undefined };
}

/**
 * Finds the record ids of a page and the values that it is sorted by. An index has all of them, so no row is read. Undefined if the search
 * needs a walk.
 */
export function keySearch(collection: Collection, page: Page): Search | undefined {
  const search = listSearch(collection, page, 0);
  if (search.walk !== undefined) return undefined;
  const columns = ['seq', ...page.sort.map(({ field }) => columnOf(collection, field).name)];
  return { ...search, select: `select ${columns.join(', ')} from ${identifier(collection.name)}` };
}

/** Finds the record ids in their order. */
export function idSearch(collection: Collection, where: Where, limit: number): Search {
  const search = listSearch(collection, { where, sort: [], after: undefined, limit: limit - 1 }, limit * bytesOfId);
  return { ...search, select: `select seq from ${identifier(collection.name)}` };
}
/** More than a record id counts for. */
const bytesOfId = 16;

export function countSearch(collection: Collection, where: Where): Search {
  // SQLite counts a whole table fast, without reading the rows.
  const selection = where.length === 0 ? everyRow : selectionOf(collection, where, [], [], undefined);
  const { total: select } = readStatements(collection);
  return { select, ...selection, order: undefined, sort: [], limit: 1, bytes: 0 };
}

/** A count that ends at `most` if it needs no walk. */
export function boundedCount(collection: Collection, where: Where, most: number): Search {
  const search = countSearch(collection, where);
  if (search.walk !== undefined) return search;
  const condition = search.where && `where ${search.where}`;
  const found = `select 1 from ${identifier(collection.name)} ${condition} limit ${most}`;
  return { ...search, select: `select count(*) from (${found})`, where: '' };
}

/** The estimate counts up to this number; beyond it, the highest record id is close enough. */
const fewRecords = 100_000;

export function estimateSearch({ name }: Collection): Search {
  const counted = `select count(*) as _count from (select 1 from ${identifier(name)} limit ${fewRecords + 1})`;
  return {
    ...lastChangeSearch,
    select: `select case when _count <= ${fewRecords} then _count else (select max(seq) from ${identifier(name)}) end from (${counted})`,
  };
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
    select: `select ${changeColumns.join(', ')} from ${from}`,
    where: `seq > ?1 and collection in (${names.map(literal).join(', ')})`,
    parameters: [after],
    order: 'order by seq',
    sort: [{ column: 'seq', at: 0, descending: false }],
    limit,
    bytes,
    walk: isPart
      ? { from, keys: ['seq'], descending: false, base: 'seq > ?1', baseParameters: [after], order: 'whole' }
      : undefined,
    sets: [],
  };
}

/** Finds whether there are changes after `after` and before `end`, which are of one transaction. */
export function restSearch(names: readonly string[], after: number, end: number): Search {
  return {
    ...lastChangeSearch,
    select: 'select seq from changes',
    where: `seq > ?1 and seq < ?2 and collection in (${names.map(literal).join(', ')})`,
    parameters: [after, end],
    order: 'order by seq',
  };
}

type Selection = Pick<Search, 'where' | 'parameters' | 'walk' | 'sets'>;
const everyRow: Selection = { where: '', parameters: [], walk: undefined, sets: [] };

/** Selects no data; the reply still has the number of the last change. */
export const lastChangeSearch: Search = {
  select: 'select 1',
  ...everyRow,
  order: undefined,
  sort: [],
  limit: 1,
  bytes: 0,
};

/** The condition without the keyword `where`. */
export function conditionOf(collection: Collection, where: Where, sort: readonly Order[] = [], after?: Page['after']) {
  const { sql, parameters } = condition(dialect, collection, where, sort, after);
  return { sql: sql.replace(/^where /, ''), parameters };
}

/** The index of a field in the rows that `readStatements` selects. */
function columnIndex({ fields, contract }: Collection, field: string): number {
  const first = ['id', 'version', 'created_at', 'updated_at'];
  const index = first.indexOf(field);
  const key = field === 'external_id' && contract !== undefined ? 'id' : field;
  return index >= 0 ? index : first.length + Object.keys(fields).indexOf(key);
}

/** Without a walk if SQLite reads no more rows than it returns. `keys` are those of `sort`, and the id. */
function selectionOf(
  collection: Collection,
  where: Where,
  keys: readonly Order[],
  sort: readonly Order[],
  after: Page['after'],
): Selection {
  const { walk, isNeeded } = planWalk(collection, where, keys, after);
  if (isNeeded) return walked(collection, where, walk(), sort, after);
  const { sql, parameters } = conditionOf(collection, where, sort, after);
  return { where: sql, parameters, walk: undefined, sets: [] };
}

/** Through all records that match, in any order. */
export function wholeWalk(collection: Collection, where: Where): Selection & { readonly walk: Walk } {
  return walked(collection, where, planWalk(collection, where, [], undefined).walk());
}

/** A walk by words finds all of these itself. */
function walked(collection: Collection, where: Where, walk: Walk, sort?: readonly Order[], after?: Page['after']) {
  const found: readonly unknown[] = walk.words === undefined ? [] : wordFilters(where);
  const others = where.filter((one) => !found.includes(one));
  const { sql, parameters, sets } = conditionWithSets(collection, others, sort, after);
  return { where: sql, parameters, walk, sets };
}

/** Those that a table of words can answer: each has a word. */
function wordFilters(where: Where): readonly Filter[] {
  return directFilters(where).filter(
    ({ operator, values }) => operator === 'words' && lookupsOf(String(values[0])).length > 0,
  );
}

/** An index has the order of a list only if the field is not optional: nulls come first in an index, and last in a list. */
function planWalk(collection: Collection, where: Where, sort: readonly Order[], after: Page['after']) {
  const filters = directFilters(where);
  const { name, columns, contract } = collection;
  const whole = wholeRules(collection.unique);
  const indexes = [...collection.indexes, ...whole];
  const isIndexed = (field: string) =>
    (field === 'external_id' && contract !== undefined) ||
    indexes.some((index) => index.length === 1 && index[0] === field);
  const isInOrder = (field: string) => columns.get(field)?.field.declared.optional !== true;
  const [first = byRecordId, second] = sort;
  const isEqual = ({ operator }: Filter) => operator === 'eq';
  const isGiven = (key: string) => filters.some((filter) => filter.field === key && isEqual(filter));
  const isOne = whole.some((rule) => rule.every(isGiven));
  // An index of two fields has the records with one value of the first in the order of the second.
  const pair = filters.find(
    (filter) =>
      isEqual(filter) &&
      isInOrder(first.field) &&
      indexes.some(([one, two, ...more]) => one === filter.field && two === first.field && more.length === 0),
  );
  const equal = pair ?? filters.find((filter) => isEqual(filter) && isIndexed(filter.field));
  const inRange = filters.filter(({ field, operator }) => rangeOperators.includes(operator) && isIndexed(field));
  const sorted = first.field === 'id' || (equal === undefined && isIndexed(first.field) && isInOrder(first.field));
  const inList = inRange.find(({ operator }) => operator === 'in');
  const hasIndex = (field: string) => field === 'id' || isIndexed(field);
  // In order of preference: single values (eq, in), which match few rows, also those of `any`; the order of the result; any range.
  const alternatives =
    equal === undefined && inList === undefined ? alternativesOf(collection, where, hasIndex) : undefined;
  const entry = equal ?? inList ?? (sorted ? undefined : inRange[0]);
  const single = alternatives === undefined ? (entry?.field ?? (sorted ? first.field : 'id')) : 'id';
  const key = pair !== undefined ? first.field : equal !== undefined ? 'id' : single;
  const inOrder = first.field === key;
  const descending = inOrder && first.descending;

  const isExact = inOrder && (key === 'id' || (second?.field === 'id' && second.descending === descending));
  // A range of the key is a range of the index.
  const isKeyRange = ({ field, operator }: Filter) => field === key && bounds.includes(operator);
  const isWhole = filters.length === where.length;
  const isShort = isExact && isWhole && filters.every((filter) => filter === equal || isKeyRange(filter));
  // At most one record has the values of a unique rule.
  const isNeeded = !isOne && !isShort;
  const words = isOne ? [] : wordFilters(where);

  /** Usually few records have the words. */
  function walkByWords(): Walk {
    const from = wordsTable(name);
    const matches = words.map(({ values, among = [] }) => matchOf(among, lookupsOf(String(values[0]))));
    const isById = first.field === 'id';
    const start = isById && after !== undefined ? [after.recordId] : [];
    return {
      from,
      keys: ['rowid'],
      descending: isById && first.descending,
      base: `${from} match ?1${start.length === 0 ? '' : ` and rowid ${first.descending ? '<' : '>'} ?2`}`,
      baseParameters: [matches.join(' AND '), ...start],
      order: isById ? 'whole' : 'none',
      words: [...new Set(words.flatMap(({ among = [] }) => among))],
    };
  }

  function walk(): Walk {
    if (words.length > 0) return walkByWords();
    const base = [...(equal === undefined ? [] : [equal]), ...filters.filter(({ field }) => field === key)];
    const usable = base.filter(({ operator }) => operator === 'eq' || rangeOperators.includes(operator));
    const { sql, parameters } = conditionOf(collection, usable);
    const baseParameters: Value[] = [...parameters];
    const conditions = sql === '' ? [] : [sql];
    const keyColumn = columnOf(collection, key);
    const from = after?.values[0] ?? after?.recordId;
    if (inOrder && from !== undefined) {
      const value = keyColumn.field.sqlite.bind(from);
      conditions.push(`${keyColumn.name} ${descending ? '<=' : '>='} ?${baseParameters.push(value)}`);
    }
    return {
      from: `${identifier(name)}${key === 'id' && equal === undefined && alternatives === undefined ? ' not indexed' : ''}`,
      ...(alternatives === undefined ? {} : { alternatives }),
      keys: key === 'id' ? ['seq'] : [keyColumn.name, 'seq'],
      descending,
      base: conditions.join(' and '),
      baseParameters,
      order: isExact ? 'whole' : inOrder ? 'first key' : 'none',
    };
  }
  return { walk, isNeeded };
}
