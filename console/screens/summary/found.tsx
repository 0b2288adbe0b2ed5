/** The answer of the server: its rows, and how many groups there are. */
import { grouped } from '../../api/count.ts';
import type { Collection } from '../../api/declarations.ts';
import type { Order } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import type { SummaryQuery } from '../../query/summary-query.ts';
import { groupColumn, measureColumn } from './columns.ts';
import { recordsHref } from './records-href.ts';
import { mostRows, type Rows } from './rows.ts';
import { SummaryTable } from './summary-table.tsx';

export type FoundProps = {
  readonly collection: Collection;
  /** Of this answer. */
  readonly query: SummaryQuery;
  readonly found: Rows;
  /** False while the answer of another query is awaited. */
  readonly isCurrent: boolean;
  readonly onSort: (order: readonly Order[]) => void;
  readonly onLimit: (limit: string) => void;
};

export function Found({ collection, query, found, isCurrent, onSort, onLimit }: FoundProps) {
  const { rows, groups: count } = found;
  const groups = query.groups.map((name) => groupColumn(collection, name));
  const few = rows.length < Number(count);
  return (
    <>
      {rows.length === 0 ? (
        <p class="summary-words">There are no groups.</p>
      ) : (
        <div class="summary-frame" aria-busy={!isCurrent}>
          <SummaryTable
            title={`Summary of ${collection.title ?? collection.name}`}
            groups={groups}
            measures={query.measures.map((name) => measureColumn(collection, name))}
            rows={rows}
            sort={query.sort}
            onSort={onSort}
            hrefOf={(row) => recordsHref(collection, query, row)}
          />
        </div>
      )}
      <div class="status">
        <span role="status">
          {isCurrent
            ? `${few ? `${grouped(String(rows.length))} of ` : ''}${grouped(count)} ${count === '1' ? 'group' : 'groups'}`
            : 'Adding up \u2026'}
        </span>
        {few && rows.length < mostRows ? (
          <Button kind="quiet" onPress={() => onLimit(String(mostRows))}>
            Show up to {grouped(String(mostRows))}
          </Button>
        ) : null}
      </div>
    </>
  );
}
