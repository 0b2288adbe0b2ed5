/** Change numbers, and the change from which a follower of the feed can continue. */

/**
 * Left where changes were lost, as by a restore: the last change that this history shares with the lost one, and the
 * number after which it continues, beyond every number of the lost one. A number between the two may belong to the lost
 * history.
 */
export type Gap = readonly [common: number, next: number];

export type History = {
  /** The number of the last change, trimmed or not; 0 before the first. */
  readonly last: number;
  /** The last change that was trimmed; 0 for none. */
  readonly trimmed: number;
  readonly gaps: readonly Gap[];
};

/** How far numbers jump ahead if the last number of the lost history is unknown. */
export const farJump = 1_000_000_000;

/**
 * Undefined if a follower that has every change up to `after` can continue. Otherwise it has changes that this history
 * does not have, or has missed some: it must read the lists again and continue from the change that is returned.
 */
export function resyncPoint({ last, trimmed, gaps }: History, after: number): number | undefined {
  if (after > last) return last;
  const gap = gaps.find(([common, next]) => after > common && after < next);
  if (gap !== undefined) return Math.max(gap[1], trimmed);
  return after < trimmed ? trimmed : undefined;
}
