/** The records of a collection: the address is the query, the rows come as they are needed, and changes appear live. */
import { computed, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { caseCounts } from '../api/columns.ts';
import type { Collection } from '../api/declarations.ts';
import type { Row } from '../api/pages.ts';
import { parseQuery, type Query, searchOf } from '../api/query.ts';
import { AsCode } from '../code/as-code.tsx';
import { Button } from '../parts/button.tsx';
import { Filters } from '../query/filters.tsx';
import { firstSummary, summarySearchOf } from '../query/summary-query.ts';
import { address, go, hrefOf } from '../state/address.ts';
import { toBeDeleted } from '../state/deletions.ts';
import { density, rowHeights } from '../state/density.ts';
import { type OpenSession, refusal } from '../state/session.ts';
import { RecordDrawer } from './record/record.tsx';
import { ChooseColumns } from './table/choose-columns.tsx';
import { codeOf } from './table/code.ts';
import { shownColumns } from './table/columns.ts';
import { DeleteMany } from './table/delete-many.tsx';
import { Empty } from './table/empty.tsx';
import { ExportDialog } from './table/export-dialog.tsx';

import { Grid } from './table/grid.tsx';
import { List } from './table/rows/list.ts';
import { LiveList } from './table/rows/live.ts';
import { SearchBox } from './table/search-box.tsx';
import { Status } from './table/status.tsx';
import './table.css';

export type TableProps = { readonly collection: Collection; readonly session: OpenSession };

export function Table({ collection, session }: TableProps) {
  const { name } = collection;
  const search = useComputed(() => address.value.search).value;
  const query = useMemo(() => parseQuery(search), [search]);
  const columns = shownColumns(collection, query);
  const selected = useSignal<ReadonlyMap<string, Row>>(new Map());
  const inView = useSignal<readonly [number, number]>([0, 0]);
  const [dialog, open] = useState<'columns' | 'delete' | 'export' | undefined>();
  const shownNames = columns.map((column) => column.name).join();

  const list = useMemo(
    () => new List(collection, query, columns, session.collections),
    [collection, search, shownNames],
  );
  const live = useMemo(() => new LiveList(list), [list]);
  // A record that waits for its deletion looks as if it were gone.
  const marks = useMemo(
    () =>
      computed(
        () =>
          new Map<string, string>([
            ...live.marks.value,
            ...[...toBeDeleted(collection)].map((id) => [id, 'gone'] as const),
          ]),
      ),
    [live],
  );
  useEffect(
    () => () => {
      live.close();
      list.rows.close();
      selected.value = new Map();
    },
    [list, live],
  );

  function change(next: Partial<Query>): void {
    go(hrefOf(address.value.path, searchOf({ ...query, ...next })));
  }
  const closeDialog = () => open(undefined);
  const goToSummary = () => go(hrefOf([name, 'summary'], summarySearchOf(firstSummary(collection, query.filters))));
  const goToImport = () => go(hrefOf(['-', 'import'], `collection=${name}`));
  const goToNew = () => go(hrefOf([name, 'new'], search));
  const shownQuery = { ...query, fields: columns.map((column) => column.name) };
  const withKey = session.me.name !== null;
  const openId = address.value.path[1];
  const refused = refusal('write', name, 'create');
  // As they are seen: a row that was scrolled far away is as it was when it was selected.
  const leaving = toBeDeleted(collection);
  const rows = [...selected.value].filter(([id]) => !leaving.has(id)).map(([id, row]) => list.rows.row(id) ?? row);
  list.rows.changes.value;
  return (
    <div class="table-screen">
      <div class="table-side">
        <div class="screen-head">
          <h1>{collection.title ?? name}</h1>
          <AsCode code={() => codeOf(collection, query, withKey)} />
          <Button icon="summary" kind="quiet" onPress={goToSummary}>
            Summary
          </Button>
          <Button icon="download" kind="quiet" onPress={() => open('export')}>
            Export
          </Button>
          <Button icon="upload" kind="quiet" refused={refused} onPress={goToImport}>
            Import
          </Button>
          <Button icon="plus" kind="main" refused={refused} onPress={goToNew}>
            New {collection.singular}
          </Button>
        </div>
        <div class="toolbar">
          <SearchBox collection={collection} filters={query.filters} onChange={(filters) => change({ filters })} />
          <Filters collection={collection} filters={query.filters} onChange={(filters) => change({ filters })} />
          <span class="toolbar-end">
            {rows.length === 0 ? null : (
              <>
                <span class="soft">{rows.length} selected</span>
                <Button
                  icon="trash"
                  kind="danger"
                  refused={refusal('write', name, 'delete')}
                  onPress={() => open('delete')}
                >
                  Delete
                </Button>
              </>
            )}
            <Button icon="columns" kind="quiet" label="Choose columns" onPress={() => open('columns')} />
            <Button
              icon="rows"
              kind="quiet"
              label="Compact rows"
              pressed={density.value === 'compact'}
              onPress={() => {
                density.value = density.value === 'compact' ? 'comfortable' : 'compact';
              }}
            />
          </span>
        </div>
        {list.rows.isEmpty ? (
          <Empty
            collection={collection}
            isFiltered={query.filters.length > 0}
            comparesText={query.filters.some(
              ({ field, operator }) => collection.fields[field]?.type === 'text' && caseCounts(operator),
            )}
            refused={refused}
            onShowAll={() => change({ filters: [] })}
            onNew={goToNew}
            onImport={goToImport}
          />
        ) : (
          <Grid
            list={list}
            columns={list.shown}
            rowHeight={rowHeights[density.value]}
            openId={openId}
            selected={selected}
            marks={marks}
            inView={inView}
            onSort={(sort) => change({ sort })}
            onOpen={(id) => go(hrefOf([name, id], search))}
          />
        )}
        <Status list={list} live={live} inView={inView} />
        {dialog === 'columns' ? <ChooseColumns collection={collection} onClose={closeDialog} /> : null}
        {dialog === 'export' ? <ExportDialog collection={collection} query={shownQuery} onClose={closeDialog} /> : null}
        {dialog === 'delete' ? (
          <DeleteMany
            collection={collection}
            rows={rows}
            withKey={withKey}
            onDeleted={(deleted) => {
              const next = new Map(selected.value);
              for (const { id } of deleted) {
                list.rows.remove(id);
                next.delete(id);
              }
              selected.value = next;
            }}
            onClose={closeDialog}
          />
        ) : null}
      </div>
      {openId === undefined ? null : (
        <RecordDrawer
          collection={collection}
          id={openId}
          search={search}
          watch={(id, notify) => live.watch(id, notify)}
          onSaved={(row) => {
            if (list.rows.has(row.id)) list.rows.place(row);
          }}
        />
      )}
    </div>
  );
}
