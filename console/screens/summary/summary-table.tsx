/** The rows of a summary: a line for each group, with a bar for each number, that leads to the records of the group. */
import { type Column, isNumeric } from '../../api/columns.ts';
import type { Order } from '../../api/query.ts';
import { Value, wordsOf } from '../../parts/values/value.tsx';
import { HeadCell } from '../../query/head-cell.tsx';
import { go } from '../../state/address.ts';
import { type Bar, barsOf } from './bars.ts';
import type { SummaryRow } from './rows.ts';

/** Characters of a cell. */
const mostShown = 120;

export type SummaryTableProps = {
  readonly title: string;
  readonly groups: readonly Column[];
  readonly measures: readonly Column[];
  readonly rows: readonly SummaryRow[];
  readonly sort: readonly Order[];
  readonly onSort: (order: readonly Order[]) => void;
  /** The address of the records of a row. */
  readonly hrefOf: (row: SummaryRow) => string;
};

export function SummaryTable({ title, groups, measures, rows, sort, onSort, hrefOf }: SummaryTableProps) {
  const drawn = measures.map((column) => drawnOf(column, rows));
  return (
    <table class="summary-table" aria-label={title}>
      <colgroup>
        {(groups.length === 0 ? ['records'] : groups.map(({ name }) => name)).map((name) => (
          <col key={name} />
        ))}
        {drawn.map(({ column, bars }) => (
          // The bars get the room that the words leave.
          <col key={column.name} style={{ width: bars === undefined ? 'auto' : `${100 / drawn.length}%` }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {groups.length === 0 ? <th>records</th> : null}
          {[...groups, ...measures].map((column) => (
            <HeadCell key={column.name} column={column} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr
            key={groups.map(({ name }) => row.get(name)).join()}
            onClick={(event) => {
              const isLink = event.target instanceof Element && event.target.closest('a') !== null;
              // A person who marks text with the mouse wants to copy it.
              if (!isLink && getSelection()?.isCollapsed !== false) go(hrefOf(row));
            }}
          >
            {groups.length === 0 ? (
              <th scope="row">
                <a href={hrefOf(row)}>all</a>
              </th>
            ) : null}
            {groups.map((column, at) => (
              <GroupCell key={column.name} column={column} row={row} href={at === 0 ? hrefOf(row) : undefined} />
            ))}
            {drawn.map(({ column, digits, bars }) => (
              <MeasureCell key={column.name} column={column} row={row} digits={digits} bar={bars?.[place]} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Drawn = {
  readonly column: Column;
  /** Characters of the longest value, so that the bars begin at the same place. */
  readonly digits: number;
  /** Undefined if they are no numbers. */
  readonly bars: readonly (Bar | undefined)[] | undefined;
};

function drawnOf(column: Column, rows: readonly SummaryRow[]): Drawn {
  const values = rows.map((row) => row.get(column.name));
  const digits = Math.max(1, ...values.map((value) => wordsOf(value, column.field).length));
  return { column, digits, bars: isNumeric(column.field) ? barsOf(values) : undefined };
}

type GroupCellProps = {
  readonly column: Column;
  readonly row: SummaryRow;
  /** Of the first cell. */
  readonly href: string | undefined;
};

function GroupCell({ column: { name, field }, row, href }: GroupCellProps) {
  const shown = <Value value={row.get(name)} field={field} most={mostShown} />;
  return href === undefined ? (
    <td>{shown}</td>
  ) : (
    <th scope="row">
      <a href={href}>{shown}</a>
    </th>
  );
}

type MeasureCellProps = Omit<Drawn, 'bars'> & { readonly row: SummaryRow; readonly bar: Bar | undefined };

function MeasureCell({ column: { name, field }, row, digits, bar }: MeasureCellProps) {
  const value = <Value value={row.get(name)} field={field} most={mostShown} />;
  if (!isNumeric(field)) return <td>{value}</td>;
  return (
    <td>
      <div class="measure-line">
        <span class="measure-value" style={{ minWidth: `${digits}ch` }}>
          {value}
        </span>
        <span class="measure-room">
          {bar === undefined ? null : (
            <span class="measure-bar" style={{ marginLeft: `${bar.start}%`, width: `${bar.length}%` }} />
          )}
        </span>
      </div>
    </td>
  );
}
