/** The records of a collection: the address is the query, the rows come as they are needed, and changes appear live. */
import { computed, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Column, caseCounts, labelFieldOf } from '../api/columns.ts';
import type { Collection } from '../api/declarations.ts';
import type { Row } from '../api/pages.ts';
import { newestFirst, parseQuery, type Query, searchOf } from '../api/query.ts';
import { AsCode } from '../code/as-code.tsx';
import { Button } from '../parts/button.tsx';
import { Filters } from '../query/filters.tsx';
import { firstSummary, summarySearchOf } from '../query/summary-query.ts';
import { address, go, hrefOf } from '../state/address.ts';
import { toBeDeleted } from '../state/deletions.ts';
import { density, rowHeights } from '../state/density.ts';
import { type OpenSession, refusal } from '../state/session.ts';
import { densityIn, toggleDensity, viewSearch, wholeView } from '../state/views.ts';
import { RecordDrawer } from './record/record.tsx';
import { ChooseColumns } from './table/choose-columns.tsx';
import { codeOf } from './table/code.ts';
import { moved, orderedColumns, rememberColumns, shownColumns, widthOf, widthsOf } from './table/columns.ts';
import { DeleteMany } from './table/delete-many.tsx';
import { Digits } from './table/digits.ts';
import { Empty } from './table/empty.tsx';
import { ExportDialog } from './table/export-dialog.tsx';
import { Grid } from './table/grid.tsx';
import { List } from './table/rows/list.ts';
import { LiveList } from './table/rows/live.ts';
import { SearchBox } from './table/search-box.tsx';
import { Selection } from './table/selection.tsx';
import { Status } from './table/status.tsx';
import { ViewsDialog } from './table/views-dialog.tsx';
import './table.css';

export type TableProps = { readonly collection: Collection; readonly session: OpenSession };

/** The title of a record leaves room for the other columns. */
const narrowTitle = 120;
const narrow = matchMedia('(max-width: 760px)');

export function Table({ collection, session }: TableProps) {
  const { name } = collection;
  const search = useComputed(() => address.value.search).value;
  const query = useMemo(() => parseQuery(search), [search]);
  const columns = shownColumns(collection, query);
  const selected = useSignal<ReadonlyMap<string, Row>>(new Map());
  const inView = useSignal<readonly [number, number]>([0, 0]);
  const total = useSignal('');
  const digits = useMemo(() => new Digits(), [collection]);
  const [dialog, open] = useState<'columns' | 'delete' | 'export' | 'views' | undefined>();
  const shownNames = columns.map((column) => column.name);
  /** What is shown, as a query that leaves nothing open. */
  const whole = { ...query, sort: query.sort.length === 0 ? [newestFirst] : query.sort, fields: shownNames };

  const list = useMemo(
    () => new List(collection, whole, columns, session.collections),
    // The density is no part of the query.
    [collection, searchOf(query), shownNames.join()],
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

  const rowDensity = densityIn(search);
  function change(next: Partial<Query>): void {
    go(hrefOf(address.value.path, viewSearch({ ...query, ...next }, rowDensity)));
  }
  /** The address has what is shown. The choice is remembered, too, unless these are the columns of a link. */
  function showColumns(names: readonly string[]): void {
    const own = shownColumns(collection, { ...query, fields: undefined }).map((column) => column.name);
    const isOwn = query.fields === undefined || own.join() === shownNames.join();
    if (names.length === 0 && query.fields !== undefined) return;
    if (isOwn) rememberColumns(collection, names);
    go(hrefOf(address.value.path, viewSearch({ ...query, fields: names }, rowDensity)), 'replace');
  }
  const widths = widthsOf(collection);
  function resize(column: string, width: number | undefined): void {
    const { [column]: _, ...others } = widths.value;
    widths.value = width === undefined ? others : { ...others, [column]: Math.round(width) };
  }
  const title = labelFieldOf(collection);
  const widthOfColumn = (column: Column) => {
    const preset = narrow.matches && column.name === title ? narrowTitle : undefined;
    return widthOf(column, widths.value[column.name] ?? preset, digits.widthOf(column.name));
  };
  const closeDialog = () => open(undefined);
  const goToSummary = () => go(hrefOf([name, 'summary'], summarySearchOf(firstSummary(collection, query.filters))));
  const goToImport = () => go(hrefOf(['-', 'import'], `collection=${name}`));
  const goToNew = () => go(hrefOf([name, 'new'], search));
  const withKey = session.me.name !== null;
  const openId = address.value.path[1];
  const refused = refusal('write', name, 'create');
  const importRefused = refusal('write', name, 'import');
  const leaving = toBeDeleted(collection);
  const selectedIds = [...selected.value.keys()].filter((id) => !leaving.has(id));
  /** As they are seen: a row that was scrolled far away is as it was when it was selected. */
  const rowsOf = (ids: readonly string[]) => ids.flatMap((id) => list.rows.row(id) ?? selected.value.get(id) ?? []);
  list.rows.changes.value;
  return (
    <div class="table-screen">
      <div class="table-side">
        <div class="screen-head">
          <h1>{collection.title ?? name}</h1>
          <AsCode code={() => codeOf(collection, { ...whole, fields: query.fields }, withKey)} />
          <Button icon="summary" kind="quiet" onPress={goToSummary}>
            Summary
          </Button>
          <Button icon="download" kind="quiet" onPress={() => open('export')}>
            Export
          </Button>
          <Button icon="upload" kind="quiet" refused={importRefused} onPress={goToImport}>
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
            {selectedIds.length === 0 ? null : (
              <>
                <Selection list={list} selected={selected} count={selectedIds.length} total={total} />
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
            <Button icon="views" kind="quiet" label="Views" onPress={() => open('views')} />
            <Button icon="columns" kind="quiet" label="Choose columns" onPress={() => open('columns')} />
            <Button
              icon="rows"
              kind="quiet"
              label="Compact rows"
              pressed={(rowDensity ?? density.value) === 'compact'}
              onPress={toggleDensity}
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
            importRefused={importRefused}
            onShowAll={() => change({ filters: [] })}
            onNew={goToNew}
            onImport={goToImport}
          />
        ) : (
          <Grid
            list={list}
            columns={list.shown}
            rowHeight={rowHeights[rowDensity ?? density.value]}
            openId={openId}
            selected={selected}
            marks={marks}
            inView={inView}
            sort={query.sort}
            digits={digits}
            widthOf={widthOfColumn}
            onSort={(sort) => change({ sort })}
            onMove={(column, place) => showColumns(moved(shownNames, column, place))}
            onResize={resize}
            onOpen={(id) => go(hrefOf([name, id], search))}
          />
        )}
        <Status list={list} live={live} inView={inView} total={total} />
        {dialog === 'columns' ? (
          <ChooseColumns
            columns={orderedColumns(collection)}
            shown={shownNames}
            widthOf={widthOfColumn}
            onChange={showColumns}
            onResize={resize}
            onClose={closeDialog}
          />
        ) : null}
        {dialog === 'views' ? (
          <ViewsDialog collection={collection} current={wholeView(whole, rowDensity)} onClose={closeDialog} />
        ) : null}
        {dialog === 'export' ? <ExportDialog collection={collection} query={whole} onClose={closeDialog} /> : null}
        {dialog === 'delete' ? (
          <DeleteMany
            collection={collection}
            rows={rowsOf(selectedIds)}
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
