/** Refused rows as the text of a file, which can be corrected and imported like any other one. */
import type { Layout } from './layout.ts';
import type { RefusedRow } from './rows.ts';

/** Members that are put in front of a row, and ignored when it is imported. No field begins with an underscore. */
export const rejectNames = ['_line', '_reason', '_import'] as const;

export type RefusedFile = {
  readonly layout: Layout;
  /** Tells imports apart; undefined if a file has rows of one import alone. */
  readonly id?: string | undefined;
  /** The member for a line that is not an object, and so cannot have members in front. */
  readonly wholeLine: string;
  /** Writes a cell of CSV. */
  cell(text: string): string;
};

/** The first row of CSV; empty for lines. */
export function refusedHead({ layout: { format, separator, header }, id }: RefusedFile): string {
  const names = id === undefined ? rejectNames.slice(0, 2) : rejectNames;
  return format === 'csv' ? `${[...names, header].join(separator)}\n` : '';
}

export function refusedText(
  { line, source, reason }: RefusedRow,
  { layout, id, wholeLine, cell }: RefusedFile,
): string {
  const ids = id === undefined ? [] : [id];
  if (layout.format === 'csv') return `${[line, cell(reason), ...ids, source].join(layout.separator)}\n`;
  const values = [line, JSON.stringify(reason), ...ids.map((one) => JSON.stringify(one))];
  const members = values.map((value, place) => `"${rejectNames[place]}":${value}`).join();
  if (!isObject(source)) return `{${members},"${wholeLine}":${JSON.stringify(source)}}\n`;
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
