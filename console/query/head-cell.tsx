/** The head of a column: its name, and the order by it. */
import { type Column, isNumeric, isOrdered } from '../api/columns.ts';
import type { Order } from '../api/query.ts';
import { Icon } from '../parts/icon.tsx';
import './head-cell.css';

export type HeadCellProps = {
  readonly column: Column;
  readonly sort: readonly Order[];
  readonly onSort: (order: readonly Order[]) => void;
};

export function HeadCell({ column: { name, field }, sort, onSort }: HeadCellProps) {
  const own = sort.find((one) => one.field === name);
  const title = field.title === undefined ? `${name} (${field.type})` : `${field.title} (${field.type})`;
  const kind = isNumeric(field) ? 'number' : undefined;
  if (!isOrdered(field))
    return (
      <th class={kind} title={title}>
        <span class="head-name">{name}</span>
      </th>
    );
  return (
    <th class={kind} aria-sort={own === undefined ? undefined : own.down ? 'descending' : 'ascending'}>
      <button
        type="button"
        class="head-name"
        title={`${title}. Sort by it; with Shift, after the others.`}
        onClick={(event) => onSort(nextSort(sort, name, event.shiftKey))}
      >
        {name}
        {own === undefined ? null : <Icon name={own.down ? 'down' : 'up'} size={14} />}
      </button>
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
