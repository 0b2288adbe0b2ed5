/** The records of a group, as filters of a table. */
import { lastMoment } from '../../../src/exact/moment.ts';
import type { Collection } from '../../api/declarations.ts';
import { unquoted } from '../../api/json.ts';
import { type Filter, isConditions } from '../../api/query.ts';
import type { SummaryQuery } from '../../query/summary-query.ts';
import { splitName } from './columns.ts';
import type { SummaryRow } from './rows.ts';

const dayMs = 86_400_000;

/** The records that the summary has filtered, and of these the ones of the row. */
export function recordFilters(
  collection: Collection,
  { filters, groups }: Pick<SummaryQuery, 'filters' | 'groups'>,
  row: SummaryRow,
): readonly Filter[] {
  const own = groups.flatMap((name) => groupFilters(collection, name, row.get(name) ?? 'null'));
  const ofRecords = filters.filter((filter) => !(isConditions(filter) && filter.field === 'having'));
  const isNew = (filter: Filter) =>
    !ofRecords.some(
      ({ field, operator, value }) => field === filter.field && operator === filter.operator && value === filter.value,
    );
  return [...ofRecords, ...own.filter(isNew)];
}

function groupFilters(collection: Collection, name: string, json: string): readonly Filter[] {
  const [field, part] = splitName(name);
  if (json === 'null') return [{ field, operator: 'is', value: 'null' }];
  const value = unquoted(json);
  if (part === undefined) return [{ field, operator: 'eq', value }];
  const range = rangeOf(part, value);
  const [first, last] = collection.fields[field]?.type === 'date' ? range.map((moment) => moment.slice(0, 10)) : range;
  if (first === undefined || last === undefined) return [];
  if (first === last) return [{ field, operator: 'eq', value: first }];
  return [
    { field, operator: 'gte', value: first },
    { field, operator: 'lte', value: last },
  ];
}

/** The first and the last moment of a part, such as `2026-W01`. */
export function rangeOf(part: string, value: string): readonly [first: string, last: string] {
  const first = startOf(part, value);
  const end = new Date(first);
  if (part === 'year') end.setUTCFullYear(end.getUTCFullYear() + 1);
  else if (part === 'quarter' || part === 'month') end.setUTCMonth(end.getUTCMonth() + (part === 'month' ? 1 : 3));
  else end.setTime(first.getTime() + (part === 'week' ? 7 * dayMs : part === 'day' ? dayMs : dayMs / 24));
  // The last week ends in the year 10000, which no record has.
  const last = Math.min(end.getTime() - 1, Date.parse(lastMoment));
  return [first.toISOString(), new Date(last).toISOString()];
}

function startOf(part: string, value: string): Date {
  const year = value.padStart(4, '0').slice(0, 4);
  const number = Number(value.slice(6));
  if (part === 'quarter') return new Date(`${year}-${String(number * 3 - 2).padStart(2, '0')}-01`);
  if (part === 'hour') return new Date(`${value}:00:00Z`);
  if (part !== 'week') return new Date(part === 'year' ? year : value);
  // The fourth of January is in the first week, and weeks begin on Monday.
  const fourth = new Date(`${year}-01-04`);
  return new Date(fourth.getTime() + ((number - 1) * 7 - ((fourth.getUTCDay() + 6) % 7)) * dayMs);
}
