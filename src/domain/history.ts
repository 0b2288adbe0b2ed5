/** The numbers of changes, and from where a follower of the feed can go on. */

/**
 * The last change that this history has in common with one that was lost, and the number behind which it goes on, past all
 * that the lost one used. A place between the two may be one of the lost history.
 */
export type Gap = readonly [common: number, next: number];

export type History = {
  /** The number of the last change, forgotten or not; 0 before the first. */
  readonly last: number;
  /** The last change that has been forgotten; 0 for none. */
  readonly trimmed: number;
  readonly gaps: readonly Gap[];
};

/** So far numbers jump where it is not known how many a lost history has given out. */
export const farJump = 1_000_000_000;

/**
 * Undefined where a follower that has every change up to `after` can go on. Else it has heard of changes that this history
 * does not have, or has missed some: it reads the lists anew and goes on from the change that is answered.
 */
export function resyncPoint({ last, trimmed, gaps }: History, after: number): number | undefined {
  if (after > last) return last;
  const gap = gaps.find(([common, next]) => after > common && after < next);
  if (gap !== undefined) return Math.max(gap[1], trimmed);
  return after < trimmed ? trimmed : undefined;
}
