/** How fast an import is, and how long it will take. */
import { grouped } from '../../../api/count.ts';
import type { Progress } from './saved.ts';

export type Pace = {
  /** When this run began. */
  readonly from: Pick<Progress, 'rows' | 'share'>;
  readonly now: Pick<Progress, 'rows' | 'share'>;
  /** Since then. */
  readonly ms: number;
};

export function rateOf({ from, now, ms }: Pace): string {
  const rows = now.rows - from.rows;
  return rows === 0 || ms <= 0 ? '\u2013' : grouped(String(Math.round((rows / ms) * 1000)));
}

export function leftOf({ from, now, ms }: Pace): string {
  const done = now.share - from.share;
  if (done <= 0) return '\u2013';
  const seconds = Math.round((ms / done / 1000) * (1 - now.share));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
