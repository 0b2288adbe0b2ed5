/**
 * Which record has an id first: a hash table in typed arrays, because a Map of a million ids takes four times the memory
 * and keeps the garbage collector busy.
 */
const empty = -1;
const removed = -2;

export class IdIndex {
  #ids = new BigInt64Array(64);
  #records = new Int32Array(64).fill(empty);
  /** Slots that are not empty; a removed one still counts, because a search goes on past it. */
  #taken = 0;

  get memory(): number {
    return this.#ids.byteLength + this.#records.byteLength;
  }

  find(id: bigint): number | undefined {
    const slot = this.#slotOf(id);
    return slot === undefined ? undefined : this.#records[slot];
  }

  /** Notes a record that comes after all others: it counts only where its id is new. */
  addLast(id: bigint, record: number): void {
    if (this.#slotOf(id) !== undefined) return;
    if (this.#taken * 2 >= this.#records.length) this.#grow();
    this.#insert(id, record);
  }

  replace(id: bigint, record: number): void {
    const slot = this.#slotOf(id);
    if (slot !== undefined) this.#records[slot] = record;
  }

  remove(id: bigint): void {
    const slot = this.#slotOf(id);
    if (slot !== undefined) this.#records[slot] = removed;
  }

  #slotOf(id: bigint): number | undefined {
    const mask = this.#records.length - 1;
    for (let slot = hash(id) & mask; ; slot = (slot + 1) & mask) {
      const record = this.#records[slot];
      if (record === empty) return undefined;
      if (record !== removed && this.#ids[slot] === id) return slot;
    }
  }

  #insert(id: bigint, record: number): void {
    const mask = this.#records.length - 1;
    let slot = hash(id) & mask;
    while (this.#records[slot] !== empty) slot = (slot + 1) & mask;
    this.#ids[slot] = id;
    this.#records[slot] = record;
    this.#taken++;
  }

  #grow(): void {
    const [ids, records] = [this.#ids, this.#records];
    this.#ids = new BigInt64Array(ids.length * 2);
    this.#records = new Int32Array(records.length * 2).fill(empty);
    this.#taken = 0;
    for (const [slot, record] of records.entries()) if (record >= 0) this.#insert(ids[slot] ?? 0n, record);
  }
}

/** Spreads ids that count up as well as ids that differ in their high half only. */
function hash(id: bigint): number {
  const number = Number(id);
  const exact = Number.isSafeInteger(number);
  const low = exact ? number | 0 : Number(BigInt.asIntN(32, id));
  const high = exact ? Math.floor(number / 2 ** 32) | 0 : Number(BigInt.asIntN(32, id >> 32n));
  let mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 13);
}
