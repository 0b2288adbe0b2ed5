/** Rows of created records for the table of changes, as COPY takes them. */
import { BinaryRows, columnsOf, type RowWriter } from '../statements/binary-rows.ts';
import { microseconds } from '../statements/binary-value.ts';

/** The table with the columns that `createdRows` has. */
export const createdColumns = 'changes (collection, type, created_at, at, version, made_by, record_seq, record)';

const columnCount = 8;

export type Created = {
  readonly collection: string;
  /** The time of all rows: UTC with milliseconds. */
  readonly at: string;
  readonly by: string | undefined;
};

/** The first record has the number `first`, and each further one the next number. */
export function createdRows({ collection, at, by }: Created, first: number): RowWriter {
  const rows = new BinaryRows();
  const same = sameColumns(collection, microseconds(at), by);
  let recordId = first;
  return (records) => {
    for (const json of records) {
      rows.row(columnCount);
      rows.same(same);
      rows.int64(recordId++);
      rows.text(json);
    }
    return rows.take();
  };
}

function sameColumns(collection: string, time: bigint, by: string | undefined): Uint8Array {
  return columnsOf((columns) => {
    columns.text(collection);
    columns.text('created');
    columns.int64(time);
    columns.int64(time);
    columns.int64(1);
    if (by === undefined) columns.null();
    else columns.text(by);
  });
}
