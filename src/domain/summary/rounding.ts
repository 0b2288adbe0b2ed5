/** Exact sums as numbers of the answer. Each is rounded once, half to even. */

/** The exact sum of doubles counts in units of the smallest double, 2^-1074. */
const smallest = 1074;
/** Bits of a double, with the one that is not stored. */
const mantissaBits = 53;

/** `divisor` is positive. */
export function quotient(dividend: bigint, divisor: bigint): bigint {
  if (dividend < 0n) return -quotient(-dividend, divisor);
  const whole = dividend / divisor;
  const rest = 2n * (dividend % divisor);
  const isUp = rest > divisor || (rest === divisor && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}

/** The double that is nearest to `units` / `divisor`, in units of the smallest double. Infinite beyond the highest. */
export function nearestDouble(units: bigint, divisor = 1n): number {
  if (units < 0n) return -nearestDouble(-units, divisor);
  const bits = (units / divisor).toString(2).length;
  // Fewer bits than a mantissa has, where doubles have no more of them.
  const dropped = Math.max(bits - mantissaBits, 0);
  const mantissa = Number(quotient(units, divisor << BigInt(dropped)));
  return mantissa * 2 ** (dropped - smallest);
}
