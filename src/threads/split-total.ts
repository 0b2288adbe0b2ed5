/**
 * A number over all threads of the process that changes several times per request. Each thread adds to a part of its
 * own, without an atomic operation, and a reader adds up all parts.
 */

/** More serving threads than any machine has cores for. */
const maxParts = 512;
/** A cache line for each part: threads that write to the same line slow each other down. */
const lineBytes = 64;
const numbersPerLine = lineBytes / Float64Array.BYTES_PER_ELEMENT;

/** The first line has the number of parts in use. */
export function newSplitTotal(): SharedArrayBuffer {
  return new SharedArrayBuffer((1 + maxParts) * lineBytes);
}

export class SplitTotal {
  readonly #used: Int32Array;
  readonly #parts: Float64Array;
  readonly #own: number;

  /** Takes a part: each thread makes one, and keeps it. */
  constructor(shared = newSplitTotal()) {
    this.#used = new Int32Array(shared, 0, 1);
    this.#parts = new Float64Array(shared);
    this.#own = Atomics.add(this.#used, 0, 1) + 1;
    if (this.#own > maxParts) throw new Error(`a total has at most ${maxParts} parts`);
  }

  get value(): number {
    let sum = 0;
    for (let part = Atomics.load(this.#used, 0); part > 0; part--) sum += this.#parts[part * numbersPerLine] ?? 0;
    return sum;
  }

  add(amount: number): void {
    const at = this.#own * numbersPerLine;
    this.#parts[at] = (this.#parts[at] ?? 0) + amount;
  }
}
