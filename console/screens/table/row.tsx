/** One row. Its links and its box are reached with the arrow keys, Enter and Space, so they are no stops of the Tab key. */
import { Component } from 'preact';
import { type Column, isNumeric } from '../../api/columns.ts';
import type { Row } from '../../api/pages.ts';
import { Reference } from '../../parts/values/reference.tsx';
import { hoverOf, Value } from '../../parts/values/value.tsx';
import type { Pins } from './pins.ts';

/** Characters of a cell: a page of megabytes is slow. */
const mostShown = 300;

export type GridRowProps = {
  /** Undefined while it is read. */
  readonly row: Row | undefined;
  readonly index: number;
  readonly columns: readonly Column[];
  readonly pins: Pins;
  readonly height: number;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  /** `new`, `changed` or `gone`, for a moment. */
  readonly mark: string | undefined;
  /** The same for every row, and from one drawing to the next. */
  readonly actions: { toggle(row: Row): void; pick(id: string, index: number): void };
};

/** A row is drawn again only if something about it has changed: most of a table stays while it is scrolled. */
export class GridRow extends Component<GridRowProps> {
  override shouldComponentUpdate(next: GridRowProps): boolean {
    const names = Object.keys(next) as (keyof GridRowProps)[];
    return names.some((name) => next[name] !== this.props[name]);
  }

  render() {
    return rowOf(this.props);
  }
}

function rowOf({ row, index, columns, pins, height, mark, actions, ...state }: GridRowProps) {
  if (row === undefined)
    return (
      <tr class="waiting" style={{ height: `${height}px` }}>
        <td colSpan={columns.length + 1}>{'\u2026'}</td>
      </tr>
    );
  const classes = [state.isActive ? 'active' : '', state.isOpen ? 'open' : '', mark ?? ''].filter(Boolean).join(' ');
  return (
    <tr
      id={`row-${index}`}
      class={classes}
      aria-rowindex={index + 2}
      aria-selected={state.isSelected}
      style={{ height: `${height}px` }}
      onClick={(event) => {
        const isControl = event.target instanceof Element && event.target.closest('a, input') !== null;
        // A person who marks text with the mouse wants to copy it.
        if (!isControl && getSelection()?.isCollapsed !== false) actions.pick(row.id, index);
      }}
    >
      <td class="check pinned">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select record ${row.id}`}
          checked={state.isSelected}
          onChange={() => actions.toggle(row)}
        />
      </td>
      {columns.map(({ name, field }) => {
        const value = row.values.get(name);
        const kind = isNumeric(field) ? 'number' : field.type === 'json' ? 'code' : '';
        const isReference = field.type === 'reference' && value !== undefined && value !== 'null';
        return (
          <td
            key={name}
            class={`${kind} ${pins.get(name) ?? ''}`.trim() || undefined}
            title={isReference ? undefined : hoverOf(value, field, mostShown)}
          >
            {isReference ? (
              <Reference to={field.to} id={value} tabIndex={-1} />
            ) : (
              <Value value={value} field={field} most={mostShown} />
            )}
          </td>
        );
      })}
    </tr>
  );
}
