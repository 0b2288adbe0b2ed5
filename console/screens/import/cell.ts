/** A cell of CSV as a value in JSON. */
import type { FieldDeclaration } from '../../api/declarations.ts';
import { compact, type JsonText } from '../../api/json.ts';
import { numeralOf } from './digits.ts';

/** The start of a formula, also after apostrophes, and one inside text: an export puts an apostrophe in front of the text and of each inside. */
const formula = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const inside = /([;\t\r\n])'('*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** The text before an export has put apostrophes in. */
function withoutApostrophes(cell: string): string {
  if (!cell.startsWith("'")) return cell;
  const rest = cell.slice(1);
  const plain = rest.replace(inside, '$1$2');
  return plain !== rest || formula.test(cell) ? plain : cell;
}

/** A text that cannot be a value of its type becomes a string, which the check refuses. Undefined if it has to be JSON, and is not. */
export function jsonOfCell(cell: string, { type }: FieldDeclaration): JsonText | undefined {
  const text = withoutApostrophes(cell);
  switch (type) {
    case 'integer':
    case 'number':
    case 'reference':
      return numeralOf(text) ?? JSON.stringify(text);
    case 'boolean':
      // Spreadsheets write TRUE.
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : JSON.stringify(text);
    case 'list':
    case 'json':
      return isJson(text) ? compact(text) : undefined;
    default:
      return JSON.stringify(text);
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
