/** The rows on the screen. Only those in view are in the page, whatever the length of the list. */
import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Column } from '../../api/columns.ts';
import type { Row } from '../../api/pages.ts';
import type { Order } from '../../api/query.ts';
import './grid.css';
import type { Digits } from './digits.ts';
import { Head } from './head.tsx';
import { leftsOf, pinsOf } from './pins.ts';
import { GridRow } from './row.tsx';
import type { List } from './rows/list.ts';
import { useWindow } from './rows/use-window.ts';
import { scrolledTo } from './rows/window.ts';

export type GridProps = {
  readonly list: List;
  readonly columns: readonly Column[];
  readonly rowHeight: number;
  /** The record that is open beside the table. */
  readonly openId: string | undefined;
  readonly selected: Signal<ReadonlyMap<string, Row>>;
  readonly marks: ReadonlySignal<ReadonlyMap<string, string>>;
  readonly inView: Signal<readonly [first: number, last: number]>;
  /** The order of the address. */
  readonly sort: readonly Order[];
  readonly digits: Digits;
  readonly widthOf: (column: Column) => number;
  readonly onSort: (order: readonly Order[]) => void;
  readonly onMove: (name: string, place: number) => void;
  readonly onResize: (name: string, width: number | undefined) => void;
  readonly onOpen: (id: string) => void;
};

const checkWidth = 36;
const headHeight = 32;

export function Grid(props: GridProps) {
  const { list, columns, rowHeight, selected, inView } = props;
  const frame = useRef<HTMLDivElement>(null);
  const active = useSignal(0);
  const activeId = useRef<string | undefined>(undefined);
  const changes = list.rows.changes.value;
  const { drawn, scroll } = useWindow({ frame, rows: list.rows, rowHeight, headHeight, inView });
  const view = drawn.value;
  useEffect(() => {
    active.value = 0;
    activeId.current = undefined;
  }, [list]);

  // The row that the keyboard is at stays the same while rows come and go before it.
  useLayoutEffect(() => {
    const index = activeId.current === undefined ? undefined : list.rows.indexOf(activeId.current);
    if (index !== undefined) active.value = index;
  }, [changes]);

  // The person who closes a record is back at its row.
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (wasOpen.current && props.openId === undefined) frame.current?.querySelector('table')?.focus();
    wasOpen.current = props.openId !== undefined;
  }, [props.openId]);

  function toggle(row: Row): void {
    const next = new Map(selected.value);
    if (!next.delete(row.id)) next.set(row.id, row);
    selected.value = next;
  }

  const onOpen = useRef(props.onOpen);
  onOpen.current = props.onOpen;
  const actions = useMemo(
    () => ({
      toggle,
      pick(id: string, index: number): void {
        active.value = index;
        activeId.current = id;
        onOpen.current(id);
      },
    }),
    [selected, active],
  );

  function move(to: number): void {
    const last = Math.max(0, list.rows.known - 1);
    active.value = Math.min(Math.max(0, to), last);
    activeId.current = list.rows.at(active.value)?.id;
    frame.current?.scrollTo({ top: scrolledTo(active.value, scroll()) });
  }

  // The record that is opened comes into view, once: after that the person scrolls.
  const sought = useRef<string | undefined>(undefined);
  useEffect(() => {
    const { openId } = props;
    if (openId === undefined || !/^\d+$/.test(openId)) {
      sought.current = undefined;
      return;
    }
    if (sought.current === openId || list.rows.at(0) === undefined) return;
    sought.current = openId;
    const ended = new AbortController();
    list.locate(openId, ended.signal).then(
      (isThere) => {
        const index = isThere && sought.current === openId ? list.rows.indexOf(openId) : undefined;
        if (index !== undefined) move(index);
      },
      () => {
        // It is beside the table, also if it is not in it.
      },
    );
  }, [props.openId, list, changes]);

  function onKeyDown(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(scroll().height / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active.value + 1,
      ArrowUp: active.value - 1,
      PageDown: active.value + page,
      PageUp: active.value - page,
      Home: 0,
      End: list.rows.known - 1,
    };
    const to = steps[event.key];
    const row = list.rows.at(active.value);
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' && row !== undefined) props.onOpen(row.id);
    else if (event.key === ' ' && row !== undefined) toggle(row);
    else return;
    event.preventDefault();
  }

  const isAll = selected.value.size > 0 && [...list.rows.loaded()].every(({ id }) => selected.value.has(id));
  const shown = Array.from({ length: view.last - view.first }, (_, place) => view.first + place);
  for (const index of shown) props.digits.see(list.rows.at(index), columns);
  const widths = columns.map(props.widthOf);
  const pins = useMemo(() => pinsOf(list.collection, columns), [list, columns]);
  const lefts = leftsOf(pins, checkWidth, (name) => widths[columns.findIndex((one) => one.name === name)] ?? 0);
  return (
    <div class="grid" ref={frame}>
      <table
        id="table"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the arrow keys move through the rows
        role="grid"
        aria-label={`Table of ${list.collection.title ?? list.collection.name}`}
        aria-rowcount={list.rows.isComplete ? list.rows.known + 1 : -1}
        aria-multiselectable="true"
        aria-activedescendant={list.rows.at(active.value) === undefined ? undefined : `row-${active.value}`}
        tabIndex={0}
        style={{ minWidth: `${widths.reduce((sum, width) => sum + width, checkWidth)}px`, ...lefts }}
        onKeyDown={onKeyDown}
      >
        <colgroup>
          <col style={{ width: `${checkWidth}px` }} />
          {columns.map(({ name }, place) => (
            <col key={name} style={{ width: `${widths[place]}px` }} />
          ))}
        </colgroup>
        <Head
          columns={columns}
          pins={pins}
          widths={widths}
          sort={props.sort}
          isAllSelected={isAll}
          onSelectAll={() => {
            selected.value = new Map(isAll ? [] : [...list.rows.loaded()].map((row) => [row.id, row]));
          }}
          onSort={props.onSort}
          onMove={props.onMove}
          onResize={props.onResize}
        />
        <Space height={view.before} />
        <tbody>
          {shown.map((index) => (
            <GridRow
              key={list.rows.at(index)?.id ?? `space-${index}`}
              row={list.rows.at(index)}
              index={index}
              columns={columns}
              pins={pins}
              height={rowHeight}
              isActive={index === active.value}
              isOpen={list.rows.at(index)?.id === props.openId}
              isSelected={selected.value.has(list.rows.at(index)?.id ?? '')}
              mark={props.marks.value.get(list.rows.at(index)?.id ?? '')}
              actions={actions}
            />
          ))}
        </tbody>
        <Space height={view.after} />
      </table>
    </div>
  );
}

/** In place of the rows that are not in view. */
function Space({ height }: { readonly height: number }) {
  return (
    <tbody class="space" aria-hidden="true">
      <tr style={{ height: `${height}px` }} />
    </tbody>
  );
}
