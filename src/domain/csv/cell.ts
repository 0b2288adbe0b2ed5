/** One cell of CSV, as the export writes it and the import reads it. */
import type { FieldValue } from '../types/type.ts';

/**
 * The start of a formula, also after apostrophes. Spreadsheets read full-width signs as plain ones, and skip a line break before
 * them.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const apostrophe = 0x27;

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe, which marks it as text. Null is an empty cell, and empty
 * text is a cell in quotes.
 */
export function writeCell(value: FieldValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return Object.is(value, -0) ? '-0' : String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return safe === '' || /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a cell, without its quotes, before `writeCell` put an apostrophe in front. */
export function withoutApostrophe(text: string): string {
  return text.charCodeAt(0) === apostrophe && formula.test(text) ? text.slice(1) : text;
}
