/** Rows of created records for the table of changes, as COPY takes them. */
import { BinaryRows, type RowWriter } from './binary-rows.ts';
import { microseconds } from './binary-value.ts';

/** The table with the columns that `createdRows` has. */
export const createdColumns = 'changes (collection, type, created_at, at, version, made_by, record_seq, record)';

const columnCount = 8;

export type Created = {
  readonly collection: string;
  /** The time of all rows: UTC with milliseconds. */
  readonly at: string;
  readonly by: string | undefined;
};

/** The first record has the number `first`, and each further one the next number. `expected` is about the number of bytes of their JSON. */
export function createdRows({ collection, at, by }: Created, first: number, expected: number): RowWriter {
  const time = microseconds(at);
  const rows = new BinaryRows(expected);
  const same = { start: 0, length: 0 };
  const writeSame = () => {
    rows.row(columnCount);
    rows.text(collection);
    rows.text('created');
    rows.int64(time);
    rows.int64(time);
    rows.int64(1);
    if (by === undefined) rows.null();
    else rows.text(by);
  };
  let seq = first;
  return {
    add(records) {
      for (const json of records) {
        rows.same(same, writeSame);
        rows.int64(seq++);
        rows.text(json);
      }
    },
    end: () => rows.end(),
  };
}
