/** Rows in the binary format of COPY: PostgreSQL need not parse the text of each value. */

const head = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const end = Buffer.from([0xff, 0xff]);
/** The length of null. */
const nullLength = -1;
/** The most bytes of a UTF-16 unit in UTF-8. */
const widest = 3;
const twoTo32 = 2 ** 32;

/** Encodes records, some at a time. */
export type RowWriter = {
  /** Records as they are stored. */
  add(records: readonly string[]): void;
  /** All rows, as COPY takes them. */
  end(): Uint8Array;
};

/** A part that is the same in all rows. */
export type SamePart = { start: number; length: number };

export class BinaryRows {
  #bytes: Buffer;
  #place = head.length;

  /** `expected` is about the number of bytes. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(expected, 1024));
    head.copy(this.#bytes);
  }

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

  /** Adds what `write` adds; from the second time on, a copy of what it added for the first time. */
  same(part: SamePart, write: () => void): void {
    if (part.length === 0) {
      part.start = this.#place;
      write();
      part.length = this.#place - part.start;
      return;
    }
    this.#reserve(part.length);
    this.#bytes.copyWithin(this.#place, part.start, part.start + part.length);
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

  /** Nothing can be added after it. */
  end(): Uint8Array {
    this.#reserve(end.length);
    this.#place += end.copy(this.#bytes, this.#place);
    return this.#bytes.subarray(0, this.#place);
  }

  #length(length: number, bytes: number): void {
    this.#reserve(4 + bytes);
    this.#place = this.#bytes.writeInt32BE(length, this.#place);
  }

  #reserve(bytes: number): void {
    if (this.#place + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#place + bytes));
    this.#bytes.copy(larger, 0, 0, this.#place);
    this.#bytes = larger;
  }
}
