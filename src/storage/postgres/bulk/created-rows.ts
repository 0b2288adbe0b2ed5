/** Rows of created records for the table of changes, as COPY takes them. */
import { BinaryRows, columnsOf, type RowWriter } from '../statements/binary-rows.ts';
import { microseconds } from '../statements/binary-value.ts';

/** The table with the columns that `createdRows` has. */
export const createdColumns =
  'changes (collection, type, created_at, at, version, made_by, trace_id, record_seq, record)';

const columnCount = 9;

export type Created = {
  readonly collection: string;
  /** The time of all rows: UTC with milliseconds. */
  readonly at: string;
  readonly by: string | undefined;
  readonly traceId?: string | undefined;
};

/** The first record has the number `first`, and each further one the next number. */
export function createdRows({ collection, at, by, traceId }: Created, first: number): RowWriter {
  const rows = new BinaryRows();
  const same = sameColumns(collection, microseconds(at), [by, traceId]);
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

function sameColumns(collection: string, time: bigint, texts: readonly (string | undefined)[]): Uint8Array {
  return columnsOf((columns) => {
    columns.text(collection);
    columns.text('created');
    columns.int64(time);
    columns.int64(time);
    columns.int64(1);
    for (const text of texts) {
      if (text === undefined) columns.null();
      else columns.text(text);
    }
  });
}
