/** A number over all threads of the process, changed atomically: no change is lost, and a limit on it is exact. */

export function newTotal(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

export class Total {
  /** 64 bits, because a total of bytes exceeds 2 GiB. */
  readonly #cell: BigInt64Array;

  constructor(shared = newTotal()) {
    this.#cell = new BigInt64Array(shared);
  }

  get value(): number {
    return Number(Atomics.load(this.#cell, 0));
  }

  /** Returns the new total. */
  add(amount: number): number {
    return Number(Atomics.add(this.#cell, 0, BigInt(amount))) + amount;
  }

  /** Returns false, and adds nothing, if the total would exceed `most`. */
  tryAdd(amount: number, most: number): boolean {
    for (;;) {
      const before = Atomics.load(this.#cell, 0);
      if (Number(before) + amount > most) return false;
      if (Atomics.compareExchange(this.#cell, 0, before, before + BigInt(amount)) === before) return true;
    }
  }
}
