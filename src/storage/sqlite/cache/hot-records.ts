/**
 * Records that one thread has read from the file and reads often, as the bytes that are served. They are in a ring of flat
 * segments, which the garbage collector does not look into: a new record is written over the oldest ones, except those that were used since
 * the last time (CLOCK).
 */
import type { EncodedRecord } from '../../../domain/store.ts';
import { hash } from '../memory/ids.ts';
import type { Key } from '../memory/stamps.ts';

/** Places are in units of 8 bytes, and 0 is none. */
const unit = 8;
export const segmentBytes = 256 * 1024;
const segmentBits = 15;
const segmentUnits = 1 << segmentBits;
/** Words before the bytes of a record; the version is a double. `next` is the place of the next record with the same hash. */
const at = { next: 0, low: 1, high: 2, table: 3, stamp: 4, length: 5, version: 6 } as const;
const headUnits = 4;
/** In `length`. */
const used = 1 << 31;
/** Instead of the table, of a record that is not in use any more. */
const dropped = -1;
/** A longer record is not kept: it would take the place of hundreds. */
const longest = 16 * 1024;
/** Records that stay at each new one, at most; it bounds the time that a new record takes. */
const mostSpared = 64;
/** Bytes of the ring per list of records with the same hash. */
const perList = 128;
/** With a budget this many times as large the lists would be too few, and it starts again. */
const muchLarger = 4;
/** Places have 31 bits. */
const mostSegments = 2 ** (31 - segmentBits);

/** A part of the ring. Records end at `end`, in units. */
type Segment = {
  readonly words: Int32Array<ArrayBuffer>;
  readonly doubles: Float64Array<ArrayBuffer>;
  readonly bytes: Buffer<ArrayBuffer>;
  end: number;
};

function newSegment(): Segment {
  const memory = new ArrayBuffer(segmentBytes);
  return { words: new Int32Array(memory), doubles: new Float64Array(memory), bytes: Buffer.from(memory), end: 0 };
}

/** The index of the first word of a record in its segment. */
const wordOf = (place: number) => ((place - 1) & (segmentUnits - 1)) * 2;
const unitsFor = (length: number) => headUnits + Math.ceil(length / unit);

export class HotRecords {
  #segments: Segment[] = [];
  readonly #seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  /** The first record of each list; their number is a power of two. */
  #lists = new Int32Array(0);
  /** The budget that the number of lists is for. */
  #sizedFor = 0;
  /** The segment that is written, the next free unit in it, and the oldest record behind that. */
  #current = 0;
  #free = 0;
  #oldest = 0;

  /** `budget` is what it may take now, in bytes. */
  constructor(readonly budget: () => number) {}

  /** That it takes. */
  get bytes(): number {
    return this.#lists.byteLength + this.#segments.length * segmentBytes;
  }

  /** Undefined unless it was kept with the same stamp. */
  get(key: Key, stamp: number): EncodedRecord | undefined {
    const place = this.#placeOf(key);
    if (place === 0) return undefined;
    const { words, doubles, bytes } = this.#segmentOf(place);
    const word = wordOf(place);
    if (words[word + at.stamp] !== stamp) return undefined;
    const length = (words[word + at.length] ?? 0) & ~used;
    words[word + at.length] = length | used;
    const copied = new Uint8Array(length);
    const start = (word / 2 + headUnits) * unit;
    bytes.copy(copied, 0, start, start + length);
    return { bytes: copied, version: doubles[(word + at.version) / 2] ?? 0 };
  }

  keep(key: Key, stamp: number, { bytes, version }: EncodedRecord): void {
    const most = this.#adapt();
    if (most === 0 || bytes.length > longest) return;
    const known = this.#placeOf(key);
    if (known !== 0) this.#drop(known);
    this.#makeRoom(unitsFor(bytes.length), most);
    const place = this.#current * segmentUnits + this.#free + 1;
    const segment = this.#segmentOf(place);
    const word = wordOf(place);
    const list = this.#listOf(key.table, key.low, key.high);
    const { words } = segment;
    words[word + at.next] = this.#lists[list] ?? 0;
    words[word + at.low] = key.low;
    words[word + at.high] = key.high;
    words[word + at.table] = key.table;
    words[word + at.stamp] = stamp;
    words[word + at.length] = bytes.length;
    segment.doubles[(word + at.version) / 2] = version;
    segment.bytes.set(bytes, (this.#free + headUnits) * unit);
    this.#lists[list] = place;
    this.#free += unitsFor(bytes.length);
  }

  /** Follows the budget; returns the number of segments that it allows. */
  #adapt(): number {
    const budget = this.budget();
    if (budget > this.#sizedFor * muchLarger) {
      this.#lists = new Int32Array(2 ** Math.floor(Math.log2(Math.max(budget / perList, 1))));
      this.#sizedFor = budget;
      this.#segments = [];
      this.#enter(0);
    }
    const most = Math.max(0, Math.min(mostSegments, Math.floor((budget - this.#lists.byteLength) / segmentBytes)));
    while (this.#segments.length > most) this.#dropLast();
    if (most === 0) {
      this.#lists = new Int32Array(0);
      this.#sizedFor = 0;
    }
    return most;
  }

  /** After it there are as many free units in the current segment. */
  #makeRoom(units: number, most: number): void {
    for (let spared = 0; ; ) {
      const segment = this.#segments[this.#current];
      if (segment === undefined) {
        this.#segments.push(newSegment());
        continue;
      }
      const hasOld = this.#oldest < segment.end;
      if (this.#free + units <= (hasOld ? this.#oldest : segmentUnits)) return;
      if (hasOld) {
        if (this.#passOldest(segment, spared < mostSpared)) spared++;
        continue;
      }
      segment.end = this.#free;
      const next = this.#current + 1;
      this.#enter(next < most ? next : 0);
    }
  }

  /** Drops the oldest record, or moves it to the newest ones if it was used. Returns whether it did that. */
  #passOldest({ words }: Segment, mayStay: boolean): boolean {
    const from = this.#oldest;
    const place = this.#current * segmentUnits + from + 1;
    const length = words[from * 2 + at.length] ?? 0;
    const units = unitsFor(length & ~used);
    this.#oldest += units;
    if (words[from * 2 + at.table] === dropped) return false;
    if (!mayStay || (length & used) === 0) {
      this.#drop(place);
      return false;
    }
    words[from * 2 + at.length] = length & ~used;
    if (this.#free < from) {
      this.#relink(place, place - from + this.#free);
      words.copyWithin(this.#free * 2, from * 2, (from + units) * 2);
    }
    this.#free += units;
    return true;
  }

  #enter(segment: number): void {
    this.#current = segment;
    this.#free = 0;
    this.#oldest = 0;
  }

  #dropLast(): void {
    const last = this.#segments.length - 1;
    const { words, end } = this.#segments[last] ?? newSegment();
    const isCurrent = this.#current === last;
    const parts = isCurrent ? [[0, this.#free] as const, [this.#oldest, end] as const] : [[0, end] as const];
    for (const [from, to] of parts) {
      for (let place = from; place < to; place += unitsFor((words[place * 2 + at.length] ?? 0) & ~used))
        if (words[place * 2 + at.table] !== dropped) this.#drop(last * segmentUnits + place + 1);
    }
    this.#segments.pop();
    if (isCurrent) this.#enter(0);
  }

  #drop(place: number): void {
    const { words } = this.#segmentOf(place);
    const word = wordOf(place);
    this.#relink(place, words[word + at.next] ?? 0);
    words[word + at.table] = dropped;
  }

  /** The list that leads to the record at `place` leads to `other` instead. */
  #relink(place: number, other: number): void {
    const { words } = this.#segmentOf(place);
    const word = wordOf(place);
    const list = this.#listOf(words[word + at.table] ?? 0, words[word + at.low] ?? 0, words[word + at.high] ?? 0);
    let before = this.#lists[list] ?? 0;
    if (before === place) {
      this.#lists[list] = other;
      return;
    }
    for (;;) {
      const one = this.#segmentOf(before).words;
      const next = one[wordOf(before) + at.next] ?? 0;
      if (next === place) {
        one[wordOf(before) + at.next] = other;
        return;
      }
      before = next;
    }
  }

  #placeOf({ table, low, high }: Key): number {
    if (this.#lists.length === 0) return 0;
    let place = this.#lists[this.#listOf(table, low, high)] ?? 0;
    while (place !== 0) {
      const { words } = this.#segmentOf(place);
      const word = wordOf(place);
      if (
        words[word + at.low] === (low | 0) &&
        words[word + at.high] === (high | 0) &&
        words[word + at.table] === table
      )
        return place;
      place = words[word + at.next] ?? 0;
    }
    return 0;
  }

  #listOf(table: number, low: number, high: number): number {
    return hash({ low, high }, this.#seed + table) & (this.#lists.length - 1);
  }

  #segmentOf(place: number): Segment {
    const segment = this.#segments[(place - 1) >>> segmentBits];
    if (segment === undefined) throw new RangeError(`there is no record at ${place}`);
    return segment;
  }
}
