/** Rows of created records for the table of changes, in the binary format of COPY: their times need not be parsed again and again. */

/** The table with the columns that `createdRows` has. */
export const createdColumns = 'changes (collection, type, created_at, at, version, made_by, record_seq, record)';

const columnCount = 8;
const head = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const end = Buffer.from([0xff, 0xff]);
/** The most bytes of a UTF-16 unit in UTF-8. */
const widest = 3;
/** PostgreSQL counts microseconds from here. */
const beginning = Date.UTC(2000, 0, 1);

export type Created = {
  readonly collection: string;
  /** The time of all rows: UTC with milliseconds. */
  readonly at: string;
  readonly by: string | undefined;
};

/** `records` have the numbers from `first` on. */
export function createdRows({ collection, at, by }: Created, records: readonly string[], first: number): Uint8Array {
  const time = number(BigInt(Date.parse(at) - beginning) * 1000n);
  const same = Buffer.concat([
    Buffer.from([0, columnCount]),
    ...[text(collection), text('created'), time, time, number(1n), by === undefined ? none : text(by)],
  ]);
  // Each row also has the number of the record (12 bytes) and the length of its JSON (4 bytes).
  const longest = records.reduce(
    (sum, json) => sum + same.length + 16 + json.length * widest,
    head.length + end.length,
  );
  const bytes = Buffer.allocUnsafe(longest);
  let place = head.copy(bytes);
  for (const [index, json] of records.entries()) {
    place += same.copy(bytes, place);
    place = bytes.writeInt32BE(8, place);
    place = bytes.writeBigInt64BE(BigInt(first + index), place);
    const length = bytes.write(json, place + 4);
    place = bytes.writeInt32BE(length, place) + length;
  }
  place += end.copy(bytes, place);
  return bytes.subarray(0, place);
}

/** The length of null. */
const none = Buffer.from([0xff, 0xff, 0xff, 0xff]);

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int32(bytes.length), bytes]);
}

function number(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return Buffer.concat([int32(8), bytes]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
