/** The address of the table with the records of a group. */
import type { Collection } from '../../api/declarations.ts';
import { searchOf } from '../../api/query.ts';
import type { SummaryQuery } from '../../query/summary-query.ts';
import { hrefOf } from '../../state/address.ts';
import { recordFilters } from './record-filters.ts';
import type { SummaryRow } from './rows.ts';

/** Without groups, the records of the whole summary. */
export function recordsHref(
  collection: Collection,
  query: Pick<SummaryQuery, 'filters' | 'groups'>,
  row: SummaryRow = new Map(),
): string {
  const search = searchOf({ filters: recordFilters(collection, query, row), sort: [], fields: undefined });
  return hrefOf([collection.name], search);
}
