/** Ids of 64 bits as two words, and their hash. */

export type Halves = { readonly low: number; readonly high: number };

/** Most ids fit a double exactly, and a double is split faster than a bigint. A number is a safe integer. */
export function halvesOf(contractId: bigint | number): Halves {
  const number = Number(contractId);
  if (Number.isSafeInteger(number)) return { low: number >>> 0, high: Math.floor(number / 2 ** 32) >>> 0 };
  const exact = BigInt(contractId);
  return { low: Number(BigInt.asUintN(32, exact)), high: Number(BigInt.asUintN(32, exact >> 32n)) };
}

export function hash(id: Halves, seed: number): number {
  let mixed = Math.imul(id.low ^ Math.imul(id.high ^ seed, 0x85ebca6b), 0x9e3779b1);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  mixed ^= mixed >>> 13;
  return Math.imul(mixed, 0x27d4eb2f) >>> 0;
}
