/** Change numbers, and the change from which a follower of the feed can continue. */
import { StartError } from '../errors.ts';

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

/**
 * The highest number that a database from elsewhere may have given to a record, a version or a change. This one goes on
 * from there, and clients read numbers exactly up to 2^53.
 */
export const highestNumber = 2 ** 51;

export function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= highestNumber;
}

/** The setting `gaps` of a database. Throws a StartError if it has something else. */
export function gapsFrom(text = '[]'): Gap[] {
  const gaps = jsonIn(text);
  if (Array.isArray(gaps) && gaps.every(isGap)) return gaps;
  throw new StartError('The database has gaps in its history that are not valid: use another database or backup.');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isGap(value: unknown): value is Gap {
  if (!Array.isArray(value) || value.length !== 2) return false;
  return value.every((one) => Number.isSafeInteger(one) && one >= 0) && value[0] <= value[1];
}

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
