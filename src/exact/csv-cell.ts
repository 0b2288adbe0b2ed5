/** One cell of CSV, as the export writes it and the import reads it. */
import { spelled } from './numeral.ts';

/**
 * The start of a formula, also after apostrophes. Spreadsheets read full-width signs as plain ones, and skip a line break before
 * them.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * A formula inside text. Where the semicolon or the tab separates cells, as in many countries, a quote after a comma quotes nothing: a cell of its own
 * begins there, and a row after a line break.
 */
const inside = /([;\t\r\n])('*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const guardedInside = /([;\t\r\n])'('*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

const apostrophe = 0x27;

/**
 * Text in which a spreadsheet would find a formula gets an apostrophe in front, and one before each formula inside: they mark text. Null is an empty
 * cell, and empty text is a cell in quotes.
 */
export function writeCell(value: string | number | bigint | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return spelled(value);
  const guarded = value.replace(inside, "$1'$2");
  const safe = guarded !== value || formula.test(value) ? `'${guarded}` : value;
  return safe === '' || /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a cell, without its quotes, before `writeCell` put apostrophes in. Without one in front there are none inside. */
export function withoutApostrophe(text: string): string {
  if (text.charCodeAt(0) !== apostrophe) return text;
  const rest = text.slice(1);
  const plain = rest.replace(guardedInside, '$1$2');
  return plain !== rest || formula.test(text) ? plain : text;
}
