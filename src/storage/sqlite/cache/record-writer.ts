/** Encodes records from memory for the production API: copies their bytes without decoding them to strings. */
import type { Bytes } from '../../../domain/bytes.ts';
import type { Kept } from '../memory/snapshot.ts';

const encoder = new TextEncoder();
const idMember = encoder.encode('{"id":');
const externalIdMember = encoder.encode(',"external_id":');
const versionMember = encoder.encode(',"version":');
const createdMember = encoder.encode(',"created_at":"');
const updatedMember = encoder.encode('","updated_at":"');
const end = encoder.encode('"}');
const [zero, comma, colon, point] = [0x30, 0x2c, 0x3a, 0x2e];
/** An upper limit for the bytes that are added to the JSON of a record. */
const around = 256;

export class RecordWriter {
  #buffer = new Uint8Array(16 * 1024);
  #used = 0;
  /** The day of the last timestamp, counted from 1970, and its encoded date. */
  #day = Number.NaN;
  #date = new Uint8Array();
  /** The bytes to skip at the start of a record: the contract id member, or the brace alone. */
  readonly #skipped: number;
  readonly #lead: Uint8Array;

  constructor(hasId: boolean) {
    this.#skipped = hasId ? idMember.length : 1;
    this.#lead = hasId ? externalIdMember : new Uint8Array([comma]);
  }

  /** Bytes written since `begin`. */
  get size(): number {
    return this.#used;
  }

  begin(): void {
    this.#used = 0;
  }

  /** Appends a record, after a comma unless it is the first. */
  add({ recordId, version, created, updated, source, start, length }: Kept): void {
    this.#requireRoom(length + around);
    if (this.#used > 0) this.#buffer[this.#used++] = comma;
    this.#copy(idMember);
    this.#number(recordId);
    this.#copy(this.#lead);
    source.copy(this.#buffer, this.#used, start + this.#skipped, start + length - 1);
    this.#used += length - 1 - this.#skipped;
    this.#copy(versionMember);
    this.#number(version);
    this.#copy(createdMember);
    this.#moment(created);
    this.#copy(updatedMember);
    if (updated === created) this.#repeat(momentBytes, momentBytes + updatedMember.length);
    else this.#moment(updated);
    this.#copy(end);
  }

  /** A copy: the buffer is used again. */
  end(): Bytes {
    return this.#buffer.slice(0, this.#used);
  }

  #requireRoom(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#used + bytes));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }

  #copy(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** Copies the `length` bytes that start `back` bytes before the end. */
  #repeat(length: number, back: number): void {
    this.#buffer.copyWithin(this.#used, this.#used - back, this.#used - back + length);
    this.#used += length;
  }

  #number(value: number): void {
    let digits = 1;
    for (let limit = 10; limit <= value; limit *= 10) digits++;
    this.#digits(value, digits);
  }

  #digits(value: number, count: number): void {
    let rest = value;
    for (let at = this.#used + count - 1; at >= this.#used; at--) {
      const next = Math.floor(rest / 10);
      this.#buffer[at] = zero + (rest - next * 10);
      rest = next;
    }
    this.#used += count;
  }

  /** UTC with milliseconds. `Date.toISOString` would take longer than the rest of the record. */
  #moment(ms: number): void {
    const days = Math.floor(ms / dayMs);
    const time = ms - days * dayMs;
    const buffer = this.#buffer;
    if (days !== this.#day) {
      this.#day = days;
      this.#date = dateOf(days);
    }
    this.#copy(this.#date);
    this.#digits(Math.floor(time / 3_600_000), 2);
    buffer[this.#used++] = colon;
    this.#digits(Math.floor(time / 60_000) % 60, 2);
    buffer[this.#used++] = colon;
    this.#digits(Math.floor(time / 1000) % 60, 2);
    buffer[this.#used++] = point;
    this.#digits(time % 1000, 3);
    buffer[this.#used++] = 0x5a;
  }
}

/** Records that were added together are mostly from one day. */
function dateOf(days: number): Uint8Array<ArrayBuffer> {
  return encoder.encode(new Date(days * dayMs).toISOString().slice(0, dateBytes));
}

const dayMs = 86_400_000;
/** The length of a date, and of the T after it. */
const dateBytes = 11;
/** The length of a moment. */
const momentBytes = 24;
