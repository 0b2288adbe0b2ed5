/** Whether memory grows under traffic that stays the same. */

/** The share of the time that counts as warm-up. */
const warmUp = 1 / 3;
/** Of the objects that are left after a collection. Without a leak they stay within 2 %. */
const maxLiveGrowth = 1.05;
/**
 * Of the resident size. It depends on the time since the last collection, and the allocator keeps pages that are partly free: it
 * rises by 10 % in half an hour while the objects do not. A higher rise is a leak outside the heap.
 */
const maxResidentGrowth = 1.25;

/** In MB, at equal intervals. */
export type Samples = { readonly live: readonly number[]; readonly resident: readonly number[] };
export type Change = { readonly first: number; readonly last: number };

/** The median of the first and of the last third of the time after the warm-up. */
export function change(sizes: readonly number[]): Change {
  const settled = sizes.slice(Math.floor(sizes.length * warmUp));
  const third = Math.ceil(settled.length / 3);
  return { first: median(settled.slice(0, third)), last: median(settled.slice(-third)) };
}

export function growth(samples: Samples): string[] {
  const limits = { live: maxLiveGrowth, resident: maxResidentGrowth };
  return (['live', 'resident'] as const).flatMap((kind) => {
    const { first, last } = change(samples[kind]);
    const text = `${kind} memory grew from ${first.toFixed(1)} to ${last.toFixed(1)} MB`;
    return last > first * limits[kind] ? [text] : [];
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}
