/** The head of a column: its name, and the order by it. */
import type { ComponentChildren, HTMLAttributes } from 'preact';
import { type Column, isNumeric, isOrdered } from '../api/columns.ts';
import type { Order } from '../api/query.ts';
import { Icon } from '../parts/icon.tsx';
import './head-cell.css';

export type HeadCellProps = {
  readonly column: Column;
  readonly sort: readonly Order[];
  /** The order where `sort` has none. */
  readonly preset?: Order;
  readonly onSort: (order: readonly Order[]) => void;
  readonly cell?: HTMLAttributes<HTMLTableCellElement>;
  readonly children?: ComponentChildren;
};

export function HeadCell({ column: { name, field }, sort, preset, onSort, cell = {}, children }: HeadCellProps) {
  const all = sort.length === 0 && preset !== undefined ? [preset] : sort;
  const own = all.find((one) => one.field === name);
  const title = field.title === undefined ? `${name} (${field.type})` : `${field.title} (${field.type})`;
  const classes = `${isNumeric(field) ? 'number' : ''} ${cell.class ?? ''}`.trim() || undefined;
  if (!isOrdered(field))
    return (
      <th {...cell} class={classes} title={title}>
        <span class="head-name">{name}</span>
        {children}
      </th>
    );
  return (
    <th {...cell} class={classes} aria-sort={own === undefined ? undefined : own.down ? 'descending' : 'ascending'}>
      <button
        type="button"
        class="head-name"
        title={`${title}. Sort by it; with Shift, after the others.`}
        onClick={(event) => onSort(nextSort(sort, name, event.shiftKey))}
      >
        {name}
        {own === undefined ? null : <Icon name={own.down ? 'down' : 'up'} size={14} />}
      </button>
      {children}
    </th>
  );
}

/** Ascending, then descending, then not at all. */
export function nextSort(sort: readonly Order[], field: string, keepsOthers: boolean): readonly Order[] {
  const own = sort.find((one) => one.field === field);
  const next = own === undefined ? { field, down: false } : own.down ? undefined : { field, down: true };
  if (!keepsOthers) return next === undefined ? [] : [next];
  if (own === undefined) return [...sort, { field, down: false }];
  return sort.flatMap((one) => (one.field === field ? (next ?? []) : one));
}
