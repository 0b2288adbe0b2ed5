/** Writes records from memory as the production API returns them: their bytes are copied, and no text is made of them. */
import type { Bytes } from '../../../domain/bytes.ts';
import type { Kept } from './records.ts';

const encoder = new TextEncoder();
const idMember = encoder.encode('{"id":');
const externalIdMember = encoder.encode(',"external_id":');
const versionMember = encoder.encode(',"version":');
const createdMember = encoder.encode(',"created_at":"');
const updatedMember = encoder.encode('","updated_at":"');
const end = encoder.encode('"}');
const [zero, comma, hyphen, colon, point] = [0x30, 0x2c, 0x2d, 0x3a, 0x2e];
/** More than everything but the bytes of a record. */
const around = 256;

export class RecordWriter {
  #buffer = new Uint8Array(16 * 1024);
  #used = 0;
  /** What the bytes of a record begin with: the id of the contract, or a brace alone. */
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

  /** After a comma, unless it is the first. */
  add({ seq, version, created, updated, bytes }: Kept): void {
    this.#requireRoom(bytes.length + around);
    if (this.#used > 0) this.#buffer[this.#used++] = comma;
    this.#copy(idMember);
    this.#number(seq);
    this.#copy(this.#lead);
    this.#copy(bytes.subarray(this.#skipped, bytes.length - 1));
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

  /** Writes `length` bytes again that were written `back` bytes ago. */
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

  /** UTC with milliseconds. A Date would make a text first, which takes longer than all the rest. */
  #moment(ms: number): void {
    const days = Math.floor(ms / dayMs);
    const { year, month, day } = civil(days);
    const time = ms - days * dayMs;
    const buffer = this.#buffer;
    this.#digits(year, 4);
    buffer[this.#used++] = hyphen;
    this.#digits(month, 2);
    buffer[this.#used++] = hyphen;
    this.#digits(day, 2);
    buffer[this.#used++] = 0x54;
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

const dayMs = 86_400_000;
/** The length of a moment. */
const momentBytes = 24;

/** The date of a day since 1970, by the algorithm of Howard Hinnant: years begin in March, so that a leap day is their last. */
function civil(daysSince1970: number): { year: number; month: number; day: number } {
  const days = daysSince1970 + 719_468;
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
