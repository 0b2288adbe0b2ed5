/** The order of values in both engines. */

/** Texts: byte by byte in UTF-8, which is the order of code points. UTF-16 has the highest of them in the middle. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  for (let place = 0; place < length; place++) {
    const difference = rank(one.charCodeAt(place)) - rank(other.charCodeAt(place));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Decimals with the same number of places, so the point does not matter. */
export function compareDecimals(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => BigInt(text.replace('.', ''))) as [bigint, bigint];
  return first < second ? -1 : first > second ? 1 : 0;
}
