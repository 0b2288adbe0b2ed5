/** The head of the table: selects the rows, sorts, and has columns that can be dragged to another place or another width. */
import { useRef } from 'preact/hooks';
import type { Column } from '../../api/columns.ts';
import { newestFirst, type Order } from '../../api/query.ts';
import { HeadCell } from '../../query/head-cell.tsx';
import type { Pins } from './pins.ts';

export type HeadProps = {
  readonly columns: readonly Column[];
  readonly pins: Pins;
  readonly widths: readonly number[];
  readonly sort: readonly Order[];
  readonly isAllSelected: boolean;
  readonly onSelectAll: () => void;
  readonly onSort: (order: readonly Order[]) => void;
  readonly onMove: (name: string, place: number) => void;
  /** Undefined: as wide as at first. */
  readonly onResize: (name: string, width: number | undefined) => void;
};

export function Head({ columns, pins, widths, sort, isAllSelected, ...act }: HeadProps) {
  const dragged = useRef<string | undefined>(undefined);
  return (
    <thead>
      <tr>
        <th class="check pinned">
          <input
            type="checkbox"
            aria-label="Select all rows that are loaded"
            checked={isAllSelected}
            onChange={act.onSelectAll}
          />
        </th>
        {columns.map((column, place) => (
          <HeadCell
            key={column.name}
            column={column}
            sort={sort}
            preset={newestFirst}
            onSort={act.onSort}
            cell={{
              class: pins.get(column.name) ?? '',
              draggable: true,
              onDragStart(event) {
                dragged.current = column.name;
                // Firefox drags nothing without it.
                event.dataTransfer?.setData('text/plain', column.name);
              },
              onDragOver(event) {
                if (dragged.current !== undefined) event.preventDefault();
              },
              onDrop(event) {
                event.preventDefault();
                if (dragged.current !== undefined) act.onMove(dragged.current, place);
                dragged.current = undefined;
              },
              onDragEnd() {
                dragged.current = undefined;
              },
            }}
          >
            <Edge width={widths[place] ?? 0} onResize={(width) => act.onResize(column.name, width)} />
          </HeadCell>
        ))}
      </tr>
    </thead>
  );
}

/** The edge that is dragged. The dialog of the columns does the same for the keyboard. */
function Edge({ width, onResize }: { readonly width: number; readonly onResize: (width: number | undefined) => void }) {
  const from = useRef(0);
  return (
    <span
      class="edge"
      aria-hidden="true"
      title="Drag to resize; double-click for the first width"
      // Otherwise the column is dragged.
      onMouseDown={(event) => event.preventDefault()}
      onPointerDown={(event) => {
        from.current = event.clientX - width;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onResize(event.clientX - from.current);
      }}
      onDblClick={() => onResize(undefined)}
    />
  );
}
