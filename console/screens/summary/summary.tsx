/** The records of a collection in groups, with measures of each. The address is the query. */
import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Collection } from '../../api/declarations.ts';
import { AsCode, copy } from '../../code/as-code.tsx';
import { Button } from '../../parts/button.tsx';
import { Filters } from '../../query/filters.tsx';
import { parseSummary, type SummaryQuery, summarySearchOf } from '../../query/summary-query.ts';
import { address, go, hrefOf } from '../../state/address.ts';
import { useLoaded } from '../../state/loaded.ts';
import type { OpenSession } from '../../state/session.ts';
import { Choices } from './choices.tsx';
import { codeOf } from './code.ts';
import { groupsOf, measuresOf } from './columns.ts';
import { Found } from './found.tsx';
import { recordsHref } from './records-href.ts';
import { readRows, summaryPath } from './rows.ts';
import './summary.css';

/** As many as the server takes. */
const most = { groups: 4, measures: 10 };

export type SummaryProps = { readonly collection: Collection; readonly session: OpenSession };

export function Summary({ collection, session }: SummaryProps) {
  const { name } = collection;
  const search = useComputed(() => address.value.search).value;
  const query = useMemo(() => parseSummary(search), [search]);
  const path = summaryPath(collection, query);
  const loaded = useLoaded(async (signal) => ({ path, query, ...(await readRows(path, signal)) }), [path]).value;

  function change(next: Partial<SummaryQuery>): void {
    const changed = { ...query, ...next };
    const names = [...changed.groups, ...changed.measures];
    const sort = changed.sort.filter(({ field }) => names.includes(field));
    go(hrefOf([name, 'summary'], summarySearchOf({ ...changed, sort })));
  }
  return (
    <div class="summary">
      <div class="screen-head">
        <h1>Summary of {collection.title ?? name}</h1>
        <AsCode code={() => codeOf(collection, query, session.me.name !== null)} />
        <Button icon="copy" kind="quiet" onPress={() => copy(location.origin + path)}>
          Copy URL
        </Button>
        <Button icon="collection" kind="quiet" onPress={() => go(recordsHref(collection, { ...query, groups: [] }))}>
          Table
        </Button>
      </div>
      <div class="summary-choices">
        <span class="soft">Group by</span>
        <Choices
          what="group"
          options={groupsOf(collection)}
          chosen={query.groups}
          most={most.groups}
          onChange={(groups) => change({ groups, limit: undefined })}
        />
        <span class="soft">Measure</span>
        <Choices
          what="measure"
          options={measuresOf(collection)}
          chosen={query.measures}
          most={most.measures}
          onChange={(measures) => change({ measures })}
        />
        <span class="soft">Records</span>
        <Filters collection={collection} filters={query.filters} onChange={(filters) => change({ filters })} />
      </div>
      {loaded.kind === 'here' ? (
        <Found
          collection={collection}
          query={loaded.value.query}
          found={loaded.value}
          isCurrent={loaded.value.path === path}
          onSort={(sort) => change({ sort })}
          onLimit={(limit) => change({ limit })}
        />
      ) : (
        <p class="summary-words" role={loaded.kind === 'failed' ? 'alert' : 'status'}>
          {loaded.kind === 'failed' ? <span class="status-failed">{loaded.why}</span> : 'Adding up \u2026'}
        </p>
      )}
    </div>
  );
}
