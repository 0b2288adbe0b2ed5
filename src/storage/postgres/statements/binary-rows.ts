/** Rows in the binary format of COPY: PostgreSQL need not parse the text of each value. */

const head = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
/** Follows the last row. */
export const endOfRows: Uint8Array = Buffer.from([0xff, 0xff]);
/** The length of null. */
const nullLength = -1;
/** The most bytes of a UTF-16 unit in UTF-8. */
const widest = 3;
const twoTo32 = 2 ** 32;
/** Bytes for rows that are a little longer than those before them. */
const spare = 4096;

/** Encodes records as they are stored, some at a time. COPY takes what it returns in this order, then `endOfRows`. */
export type RowWriter = (records: readonly string[]) => Uint8Array;

export class BinaryRows {
  #bytes: Buffer = Buffer.from(head);
  #place = head.length;

  /** Begins a row. */
  row(columns: number): void {
    this.#reserve(2);
    this.#place = this.#bytes.writeInt16BE(columns, this.#place);
  }

  null(): void {
    this.#length(nullLength, 0);
  }

  text(value: string): void {
    this.#reserve(4 + value.length * widest);
    const length = this.#bytes.write(value, this.#place + 4);
    this.#place = this.#bytes.writeInt32BE(length, this.#place) + length;
  }

  /** Adds a part that is the same in all rows. */
  same(part: Uint8Array): void {
    this.#reserve(part.length);
    this.#bytes.set(part, this.#place);
    this.#place += part.length;
  }

  boolean(value: boolean): void {
    this.#length(1, 1);
    this.#place = this.#bytes.writeUInt8(value ? 1 : 0, this.#place);
  }

  int32(value: number): void {
    this.#length(4, 4);
    this.#place = this.#bytes.writeInt32BE(value, this.#place);
  }

  int64(value: bigint | number): void {
    this.#length(8, 8);
    if (typeof value === 'bigint') {
      this.#place = this.#bytes.writeBigInt64BE(value, this.#place);
      return;
    }
    this.#place = this.#bytes.writeInt32BE(Math.floor(value / twoTo32), this.#place);
    this.#place = this.#bytes.writeUInt32BE(value - Math.floor(value / twoTo32) * twoTo32, this.#place);
  }

  double(value: number): void {
    this.#length(8, 8);
    this.#place = this.#bytes.writeDoubleBE(value, this.#place);
  }

  /** Numbers of 16 bits in one column. */
  int16s(values: readonly number[]): void {
    this.#length(values.length * 2, values.length * 2);
    for (const value of values) this.#place = this.#bytes.writeUInt16BE(value, this.#place);
  }

  /** A value of `tsvector`, without places of the words. */
  words(words: ReadonlySet<string>): void {
    this.#reserve(4);
    const start = this.#place;
    this.#place += 4;
    this.#reserve(4);
    this.#place = this.#bytes.writeInt32BE(words.size, this.#place);
    for (const word of words) {
      this.#reserve(word.length * widest + 3);
      this.#place += this.#bytes.write(word, this.#place);
      // The end of the text, and no places.
      this.#place = this.#bytes.writeUIntBE(0, this.#place, 3);
    }
    this.#bytes.writeInt32BE(this.#place - start - 4, start);
  }

  /** What was added since the last call. The next rows are expected to be of about the same size. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#place);
    this.#bytes = Buffer.allocUnsafe(this.#place + spare);
    this.#place = 0;
    return taken;
  }

  #length(length: number, bytes: number): void {
    this.#reserve(4 + bytes);
    this.#place = this.#bytes.writeInt32BE(length, this.#place);
  }

  #reserve(bytes: number): void {
    if (this.#place + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#place + bytes + spare));
    this.#bytes.copy(larger, 0, 0, this.#place);
    this.#bytes = larger;
  }
}

/** Columns without the row that they belong to. */
export function columnsOf(write: (rows: BinaryRows) => void): Uint8Array {
  const rows = new BinaryRows();
  rows.take();
  write(rows);
  return rows.take();
}
