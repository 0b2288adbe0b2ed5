/** Encodes records from memory for the production API: copies their bytes without decoding them to strings. */
import type { Bytes } from '../../../domain/bytes.ts';
import type { Kept } from '../memory/snapshot.ts';

const encoder = new TextEncoder();
const idMember = encoder.encode('{"id":');
const externalIdMember = encoder.encode(',"external_id":');
const versionMember = encoder.encode(',"version":');
const end = encoder.encode('Z"}');
const [zero, comma, colon, point] = [0x30, 0x2c, 0x3a, 0x2e];
/** An upper limit for the bytes that are added to the JSON of a record. */
const around = 256;

export class RecordWriter {
  #buffer = new Uint8Array(16 * 1024);
  #used = 0;
  readonly #created = new DatedMember(',"created_at":"');
  readonly #updated = new DatedMember('Z","updated_at":"');
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
    this.#moment(this.#created, created);
    this.#moment(this.#updated, updated);
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
    const buffer = this.#buffer;
    let at = this.#used;
    for (let index = 0; index < bytes.length; index++) buffer[at++] = bytes[index] ?? 0;
    this.#used = at;
  }

  #number(value: number): void {
    let digits = 1;
    for (let limit = 10; limit <= value; limit *= 10) digits++;
    let rest = value;
    for (let at = this.#used + digits - 1; at >= this.#used; at--) {
      const next = Math.floor(rest / 10);
      this.#buffer[at] = zero + (rest - next * 10);
      rest = next;
    }
    this.#used += digits;
  }

  /** UTC with milliseconds; its Z comes with what follows. `Date.toISOString` would take longer than the rest of the record. */
  #moment(member: DatedMember, ms: number): void {
    const day = Math.floor(ms / dayMs);
    this.#copy(member.on(day));
    const time = (ms - day * dayMs) | 0;
    const seconds = (time / 1000) | 0;
    const minutes = (seconds / 60) | 0;
    const buffer = this.#buffer;
    const at = this.#used;
    twoDigits(buffer, at, (minutes / 60) | 0);
    buffer[at + 2] = colon;
    twoDigits(buffer, at + 3, minutes % 60);
    buffer[at + 5] = colon;
    twoDigits(buffer, at + 6, seconds % 60);
    buffer[at + 8] = point;
    twoDigits(buffer, at + 9, ((time % 1000) / 10) | 0);
    buffer[at + 11] = zero + (time % 10);
    this.#used = at + timeBytes;
  }
}

/** `value` is below 100. */
function twoDigits(buffer: Uint8Array, at: number, value: number): void {
  const tens = (value / 10) | 0;
  buffer[at] = zero + tens;
  buffer[at + 1] = zero + value - tens * 10;
}

/** A member with a timestamp, up to its hour. Records that were added together are mostly from one day. */
class DatedMember {
  /** Counted from 1970. */
  #day = Number.NaN;
  #bytes = new Uint8Array();

  constructor(readonly before: string) {}

  on(day: number): Uint8Array {
    if (day !== this.#day) {
      this.#day = day;
      this.#bytes = encoder.encode(this.before + new Date(day * dayMs).toISOString().slice(0, dateLength));
    }
    return this.#bytes;
  }
}

const dayMs = 86_400_000;
/** Of a date, and of the T after it. */
const dateLength = 11;
/** Of the time of day. */
const timeBytes = 12;
