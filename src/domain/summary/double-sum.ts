/**
 * The exact sum of doubles: an expansion, whose parts do not overlap and whose sum it is (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997). The sum does not
 * depend on the order.
 */

/** Beyond it, sums could overflow: such values are added up on their own, divided by `2 ** scaled`. */
const large = 2 ** 900;
const scaled = 200;

export class DoubleSum {
  readonly #parts: number[] = [];
  #largeParts: number[] | undefined;

  /** `value` is finite. */
  add(value: number): void {
    if (Math.abs(value) < large) grow(this.#parts, value);
    else {
      this.#largeParts ??= [];
      grow(this.#largeParts, value / 2 ** scaled);
    }
  }

  /** In units of the smallest double, 2^-1074. */
  get units(): bigint {
    return sumOf(this.#parts) + (sumOf(this.#largeParts ?? []) << BigInt(scaled));
  }
}

/** Adds `value` to an expansion. Each pair of a sum and its rounding error is exact. */
function grow(parts: number[], value: number): void {
  let rest = value;
  let used = 0;
  for (const part of parts) {
    const [high, low] = Math.abs(rest) < Math.abs(part) ? [part, rest] : [rest, part];
    rest = high + low;
    const error = low - (rest - high);
    if (error !== 0) parts[used++] = error;
  }
  parts.length = used;
  parts.push(rest);
}

function sumOf(parts: readonly number[]): bigint {
  return parts.reduce((sum, part) => sum + unitsOf(part), 0n);
}

const bits = new BigUint64Array(1);
const double = new Float64Array(bits.buffer);
const mantissa = (1n << 52n) - 1n;

function unitsOf(value: number): bigint {
  double[0] = Math.abs(value);
  const [all = 0n] = bits;
  const exponent = all >> 52n;
  const units = exponent === 0n ? all : ((all & mantissa) | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -units : units;
}
