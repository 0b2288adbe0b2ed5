/**
 * Maps an id to the first record that has it: a hash table in one typed array, because a Map of a million ids takes four
 * times the memory and keeps the garbage collector busy. The parts of a slot are adjacent, so that a lookup in a large
 * table has one cache miss.
 */

/** A slot: the low half of the id, the high half, the record, and 1 if other records have or had the same id. */
const slotBits = 2;
const width = 1 << slotBits;
const [low, high, record, shared] = [0, 1, 2, 3];

/** Records are stored from 1 on, so that an array of zeroes is an empty table. */
const empty = 0;
const removed = -1;

type Halves = { readonly low: number; readonly high: number };

export class IdIndex {
  #slots = new Int32Array(64 * width);
  /** Slots that are not empty. A removed one still counts, because a lookup continues past it. */
  #taken = 0;
  #live = 0;

  get memory(): number {
    return this.#slots.byteLength;
  }

  find(id: bigint): number | undefined {
    const slot = this.#slotOf(halvesOf(id));
    return slot === undefined ? undefined : (this.#slots[slot + record] ?? 0) - 1;
  }

  /** The record with this id, -1 if there is none; undefined if there may be several. */
  only(id: bigint): number | undefined {
    const slot = this.#slotOf(halvesOf(id));
    if (slot === undefined) return -1;
    return this.#slots[slot + shared] === 1 ? undefined : (this.#slots[slot + record] ?? 0) - 1;
  }

  /** Keeps the first of several records with the same id. */
  add(id: bigint, added: number): void {
    const halves = halvesOf(id);
    const slot = this.#slotOf(halves);
    if (slot !== undefined) {
      this.#slots[slot + record] = Math.min(this.#slots[slot + record] ?? 0, added + 1);
      this.#slots[slot + shared] = 1;
      return;
    }
    if (this.#taken * 2 * width >= this.#slots.length) this.#rehash();
    this.#insert(halves, added + 1, 0);
  }

  replace(id: bigint, other: number): void {
    const slot = this.#slotOf(halvesOf(id));
    if (slot !== undefined) this.#slots[slot + record] = other + 1;
  }

  remove(id: bigint): void {
    const slot = this.#slotOf(halvesOf(id));
    if (slot === undefined) return;
    this.#slots[slot + record] = removed;
    this.#live--;
  }

  #slotOf(id: Halves): number | undefined {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = (hash(id) << slotBits) & mask; ; slot = (slot + width) & mask) {
      const found = slots[slot + record];
      if (found === empty) return undefined;
      if (slots[slot + low] === id.low && slots[slot + high] === id.high && found !== removed) return slot;
    }
  }

  #insert(id: Halves, found: number, isShared: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (hash(id) << slotBits) & mask;
    while ((slots[slot + record] ?? empty) > 0) slot = (slot + width) & mask;
    if (slots[slot + record] === empty) this.#taken++;
    slots[slot + low] = id.low;
    slots[slot + high] = id.high;
    slots[slot + record] = found;
    slots[slot + shared] = isShared;
    this.#live++;
  }

  /** Doubles the table, or keeps its size if most of the taken slots are removed ones. */
  #rehash(): void {
    const slots = this.#slots;
    this.#slots = new Int32Array(this.#live * 2 < this.#taken ? slots.length : slots.length * 2);
    this.#taken = 0;
    this.#live = 0;
    for (let slot = 0; slot < slots.length; slot += width) {
      const found = slots[slot + record] ?? empty;
      if (found <= 0) continue;
      this.#insert({ low: slots[slot + low] ?? 0, high: slots[slot + high] ?? 0 }, found, slots[slot + shared] ?? 0);
    }
  }
}

/** Most ids fit a double exactly, and a double is split faster than a bigint. */
function halvesOf(id: bigint): Halves {
  const number = Number(id);
  if (Number.isSafeInteger(number)) return { low: number | 0, high: Math.floor(number / 2 ** 32) | 0 };
  return { low: Number(BigInt.asIntN(32, id)), high: Number(BigInt.asIntN(32, id >> 32n)) };
}

/** Distributes sequential ids well, and also ids that differ only in the high half. */
function hash(id: Halves): number {
  let mixed = Math.imul(id.low ^ Math.imul(id.high, 0x85ebca6b), 0x9e3779b1);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 13);
}
