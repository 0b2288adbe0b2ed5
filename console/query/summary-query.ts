/** The query of a summary, as it is in the address bar and in a request: the two are the same text. */
import { columnsOf } from '../api/columns.ts';
import type { Collection } from '../api/declarations.ts';
import {
  type Filter,
  filterParameters,
  filtersIn,
  namesIn,
  namesParameter,
  type Order,
  orderIn,
  sortNames,
  summaryNames,
} from '../api/query.ts';

export type SummaryQuery = {
  readonly groups: readonly string[];
  /** At least one. */
  readonly measures: readonly string[];
  /** With the conditions on the measures, `having`. */
  readonly filters: readonly Filter[];
  readonly sort: readonly Order[];
  /** Digits; undefined if the address leaves it to the screen. */
  readonly limit: string | undefined;
};

export function parseSummary(search: string): SummaryQuery {
  const measures = namesIn(search, 'measures');
  return {
    groups: namesIn(search, 'group'),
    measures: measures.length === 0 ? ['count'] : measures,
    filters: filtersIn(search, summaryNames),
    sort: orderIn(search),
    limit: new URLSearchParams(search).get('limit') ?? undefined,
  };
}

export function summarySearchOf({ groups, measures, filters, sort, limit }: SummaryQuery): string {
  return [
    ...namesParameter('group', groups),
    ...namesParameter('measures', measures),
    ...filterParameters(filters),
    ...namesParameter('sort', sortNames(sort)),
    ...(limit === undefined ? [] : [`limit=${limit}`]),
  ].join('&');
}

/** A first summary of these records: by the field that has the fewest values, as far as its type says it. */
export function firstSummary(collection: Collection, filters: readonly Filter[]): SummaryQuery {
  const columns = columnsOf(collection).filter(({ isOwn }) => !isOwn);
  const byType = (type: string) => columns.find(({ field }) => field.type === type)?.name;
  const day = byType('date');
  const group =
    byType('choice') ??
    byType('boolean') ??
    byType('reference') ??
    (day === undefined ? 'created_at.month' : `${day}.year`);
  return { groups: [group], measures: ['count'], filters, sort: [], limit: undefined };
}
