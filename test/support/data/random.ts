/** Reproducible random numbers: the same seed gives the same sequence. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 up to, but not including, `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Value>(values: readonly Value[]): Value {
    if (values.length === 0) throw new Error('nothing to pick from');
    return values[this.below(values.length)] as Value;
  }

  shuffled<Value>(values: readonly Value[]): Value[] {
    const all = [...values];
    for (let last = all.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [all[last], all[other]] = [all[other] as Value, all[last] as Value];
    }
    return all;
  }

  /** A random choice, with a probability in proportion to its weight. */
  weighted<Value>(choices: readonly (readonly [number, Value])[]): Value {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return this.pick(choices)[1];
  }
}
