/** Refused rows as the text of a file, which can be corrected and imported like any other one. */
import { writeCell } from '../exact/csv-cell.ts';
import type { Layout } from './layout.ts';
import type { RefusedRow } from './rows.ts';

/** Members that are put in front of a row, and ignored when it is imported. No field begins with an underscore. */
export const rejectNames = ['_line', '_reason', '_import'] as const;

/** A line that is not an object cannot have members in front: it is a member itself. */
export const wholeLine = { withId: '_text', withoutId: '_source' };

/** The first row of CSV; empty for lines. `id` tells imports apart that share a file; undefined if a file has one import. */
export function refusedHead({ format, separator, header }: Layout, id: string | undefined): string {
  const names = id === undefined ? rejectNames.slice(0, 2) : rejectNames;
  return format === 'csv' ? `${[...names, header].join(separator)}\n` : '';
}

export function refusedText({ line, source, reason }: RefusedRow, layout: Layout, id: string | undefined): string {
  const ids = id === undefined ? [] : [id];
  if (layout.format === 'csv') return `${[line, writeCell(reason), ...ids, source].join(layout.separator)}\n`;
  const values = [line, reason, ...ids].map((value) => JSON.stringify(value));
  const members = values.map((value, place) => `"${rejectNames[place]}":${value}`).join();
  const whole = id === undefined ? wholeLine.withoutId : wholeLine.withId;
  if (!isObject(source)) return `{${members},"${whole}":${JSON.stringify(source)}}\n`;
  const others = source.trim().slice(1).trimStart();
  return `{${members}${others === '}' ? '' : ','}${others}\n`;
}

function isObject(text: string): boolean {
  try {
    return text.trimStart().startsWith('{') && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
