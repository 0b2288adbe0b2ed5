/** The refused rows of an import, as a file that can be corrected and imported. */
import { refusedHead, refusedText } from '../../../../src/import/refused-text.ts';
import type { RefusedRow } from '../../../../src/import/rows.ts';
import type { Layout } from '../layout.ts';

/** Rows that were refused together: all as text, and the first ones for the screen. */
export type RefusedRows = {
  readonly text: string;
  readonly count: number;
  readonly shown: readonly Pick<RefusedRow, 'line' | 'reason'>[];
};

const mostShown = 100;

export function refusedRows(rows: readonly RefusedRow[], layout: Layout): RefusedRows {
  const text = rows.map((row) => refusedText(row, layout, undefined)).join('');
  const shown = rows.slice(0, mostShown).map(({ line, reason }) => ({ line, reason }));
  return { text, count: rows.length, shown };
}

export const countOf = (refused: readonly RefusedRows[]) => refused.reduce((sum, { count }) => sum + count, 0);

export const shownOf = (refused: readonly RefusedRows[]) => refused.flatMap(({ shown }) => shown).slice(0, mostShown);

export function refusedFile(refused: readonly RefusedRows[], layout: Layout): Blob {
  return new Blob([refusedHead(layout, undefined), ...refused.map(({ text }) => text)]);
}
