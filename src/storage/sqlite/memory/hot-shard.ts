/**
 * A shard of the cache of hot records: records that were read from the file, as the bytes that are served, in a ring. A new record overwrites
 * the oldest ones, except those that were used since the last pass (CLOCK).
 *
 * Every serving thread reads and writes it, with a seqlock: the version is odd while a thread writes. A thread that finds it odd does not
 * write. A reader that finds it odd, or changed after the copy, reports a miss. So no thread waits.
 */
import type { EncodedRecord } from '../../../domain/store.ts';
import { hash } from './ids.ts';
import type { Key } from './stamps.ts';

/** The first words. The ring is free from `free` to `oldest`, and has older records from there to `end`; in units. */
const state = { version: 0, free: 1, oldest: 2, end: 3 } as const;
const stateBytes = 64;
/** Places are in units of 8 bytes, and 0 is none. */
const unit = 8;
/** Words before the bytes of a record; the version is a double. `next` is the place of the next record with the same hash. */
const at = { next: 0, low: 1, high: 2, table: 3, stamp: 4, length: 5, version: 6 } as const;
const headUnits = 4;
/** Instead of the table, of a record that is not in use any more. */
const dropped = -1;
/** A longer record is not kept: it would take the place of hundreds. */
const longest = 16 * 1024;
/** Records that stay at each new one, at most; it bounds the time that a new record takes. */
const mostSpared = 64;
/** Bytes of the shard per list of records with the same hash. */
const perList = 128;
/** A list is followed no further. A reader may follow one that changes meanwhile, and that could be without an end. */
const longestList = 64;
/** Units per mark of use. Marks are outside the ring, because another record may be at the place when a reader sets the mark. */
const perMark = 8;

const unitsFor = (length: number) => headUnits + Math.ceil(length / unit);

export class HotShard {
  readonly #words: Int32Array<SharedArrayBuffer>;
  /** The first record of each list; their number is a power of two. */
  readonly #lists: Int32Array<SharedArrayBuffer>;
  readonly #marks: Uint8Array<SharedArrayBuffer>;
  /** Of the ring, like all below. */
  readonly #heads: Int32Array<SharedArrayBuffer>;
  readonly #doubles: Float64Array<SharedArrayBuffer>;
  readonly #bytes: Buffer<SharedArrayBuffer>;
  readonly #units: number;
  readonly #ringAt: number;

  /** `memory` has a power of two of bytes. Where it is empty, so is the shard. All threads have the same seed. */
  constructor(
    readonly memory: SharedArrayBuffer,
    readonly seed: number,
  ) {
    const size = memory.byteLength;
    const lists = size / perList;
    const marks = size / unit / perMark;
    this.#words = new Int32Array(memory, 0, stateBytes / 4);
    this.#lists = new Int32Array(memory, stateBytes, lists);
    this.#marks = new Uint8Array(memory, stateBytes + lists * 4, marks);
    this.#ringAt = stateBytes + lists * 4 + marks;
    this.#heads = new Int32Array(memory, this.#ringAt);
    this.#doubles = new Float64Array(memory, this.#ringAt);
    this.#bytes = Buffer.from(memory, this.#ringAt);
    this.#units = (size - this.#ringAt) / unit;
  }

  /** A new record takes the place of others. */
  get isFull(): boolean {
    return this.#state(state.end) > 0;
  }

  /** Written so far; the rest takes no memory of the system. */
  get bytes(): number {
    const used = Math.max(this.#state(state.free), this.#state(state.end));
    return used === 0 ? 0 : this.#ringAt + used * unit;
  }

  /** Undefined unless it was kept with the same stamp. `hashed` is of the key. */
  get(key: Key, hashed: number, stamp: number): EncodedRecord | undefined {
    const version = Atomics.load(this.#words, state.version);
    if (version % 2 !== 0) return undefined;
    const place = this.#placeOf(key, hashed);
    const word = wordOf(place);
    if (place === 0 || this.#heads[word + at.stamp] !== stamp) return undefined;
    // Any word is possible until the version is compared.
    const length = (this.#heads[word + at.length] ?? 0) >>> 0;
    if (length > longest) return undefined;
    const copied = new Uint8Array(length);
    const start = (place - 1 + headUnits) * unit;
    this.#bytes.copy(copied, 0, start, start + length);
    const found = { bytes: copied, version: this.#doubles[(word + at.version) / 2] ?? 0 };
    if (Atomics.load(this.#words, state.version) !== version) return undefined;
    this.#mark(place);
    return found;
  }

  keep(key: Key, hashed: number, stamp: number, record: EncodedRecord): void {
    const words = this.#words;
    const version = Atomics.load(words, state.version);
    if (record.bytes.length > longest || version % 2 !== 0) return;
    if (Atomics.compareExchange(words, state.version, version, version + 1) !== version) return;
    this.#write(key, hashed, stamp, record);
    Atomics.add(words, state.version, 1);
  }

  #write(key: Key, hashed: number, stamp: number, { bytes, version }: EncodedRecord): void {
    const known = this.#placeOf(key, hashed);
    if (known !== 0) this.#drop(known);
    const units = unitsFor(bytes.length);
    this.#makeRoom(units);
    const free = this.#state(state.free);
    const word = free * 2;
    const heads = this.#heads;
    const list = this.#listOf(hashed);
    heads[word + at.next] = this.#lists[list] ?? 0;
    heads[word + at.low] = key.low;
    heads[word + at.high] = key.high;
    heads[word + at.table] = key.table;
    heads[word + at.stamp] = stamp;
    heads[word + at.length] = bytes.length;
    this.#doubles[(word + at.version) / 2] = version;
    this.#bytes.set(bytes, (free + headUnits) * unit);
    this.#marks[markOf(free)] = 0;
    this.#lists[list] = free + 1;
    this.#words[state.free] = free + units;
  }

  /** Frees at least this many units. */
  #makeRoom(units: number): void {
    for (let spared = 0; ; ) {
      const free = this.#state(state.free);
      const oldest = this.#state(state.oldest);
      const hasOld = oldest < this.#state(state.end);
      if (free + units <= (hasOld ? oldest : this.#units)) return;
      if (hasOld) {
        if (this.#passOldest(oldest, free, spared < mostSpared)) spared++;
        continue;
      }
      this.#words[state.end] = free;
      this.#words[state.free] = 0;
      this.#words[state.oldest] = 0;
    }
  }

  /** Drops the oldest record, or moves it to the newest ones if it was used. Returns whether it moved it. */
  #passOldest(from: number, free: number, mayStay: boolean): boolean {
    const heads = this.#heads;
    const place = from + 1;
    const units = unitsFor(heads[from * 2 + at.length] ?? 0);
    this.#words[state.oldest] = from + units;
    if (heads[from * 2 + at.table] === dropped) return false;
    if (!mayStay || this.#marks[markOf(from)] === 0) {
      this.#drop(place);
      return false;
    }
    if (free < from) {
      this.#relink(place, free + 1);
      heads.copyWithin(free * 2, from * 2, (from + units) * 2);
    }
    this.#marks[markOf(free)] = 0;
    this.#words[state.free] = free + units;
    return true;
  }

  #drop(place: number): void {
    const word = wordOf(place);
    this.#relink(place, this.#heads[word + at.next] ?? 0);
    this.#heads[word + at.table] = dropped;
  }

  /** Replaces the record at `place` by `other` in its list. */
  #relink(place: number, other: number): void {
    const heads = this.#heads;
    const word = wordOf(place);
    const key = {
      table: heads[word + at.table] ?? 0,
      low: heads[word + at.low] ?? 0,
      high: heads[word + at.high] ?? 0,
    };
    const list = this.#listOf(hashOf(key, this.seed));
    let before = this.#lists[list] ?? 0;
    if (before === place) {
      this.#lists[list] = other;
      return;
    }
    while (before !== 0) {
      const next = heads[wordOf(before) + at.next] ?? 0;
      if (next === place) {
        heads[wordOf(before) + at.next] = other;
        return;
      }
      before = next;
    }
  }

  #placeOf({ table, low, high }: Key, hashed: number): number {
    const heads = this.#heads;
    let place = this.#lists[this.#listOf(hashed)] ?? 0;
    for (let steps = 0; place !== 0 && steps < longestList; steps++) {
      const word = wordOf(place);
      if (
        heads[word + at.low] === (low | 0) &&
        heads[word + at.high] === (high | 0) &&
        heads[word + at.table] === table
      )
        return place;
      place = heads[word + at.next] ?? 0;
    }
    return 0;
  }

  /** Reads first: a write would take the cache line away from other threads, and most marks are set already. */
  #mark(place: number): void {
    const mark = markOf(place - 1);
    if (this.#marks[mark] === 0) this.#marks[mark] = 1;
  }

  #listOf(hashed: number): number {
    return hashed & (this.#lists.length - 1);
  }

  #state(word: number): number {
    return this.#words[word] ?? 0;
  }
}

/** The first word of a record in the ring. */
const wordOf = (place: number) => (place - 1) * 2;
const markOf = (from: number) => (from / perMark) | 0;

export function hashOf(key: Key, seed: number): number {
  return hash(key, seed + key.table);
}
