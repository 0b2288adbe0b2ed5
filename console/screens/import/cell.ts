/** A cell of CSV as a value in JSON. */
import { withoutApostrophe } from '../../../src/exact/csv-cell.ts';
import { compact, type JsonText } from '../../../src/exact/json-text.ts';
import { momentOf } from '../../../src/exact/moment.ts';
import { isNumeral } from '../../../src/exact/numeral.ts';
import { elementOf, type FieldDeclaration } from '../../api/declarations.ts';
import { elementsIn, offersFor } from '../../parts/inputs/offer-values.ts';
import { timeIn } from '../../parts/values/moment-text.ts';

/** A cell in the habits of a spreadsheet as the text that it stands for: `1.234,50` is 1234.50, and `a; b` a list. The same text if it is one already. */
export function convertedCell(cell: string, field: FieldDeclaration): string {
  const text = withoutApostrophe(cell);
  if (field.type === 'timestamp') return convertedTime(text) ?? cell;
  if (field.type !== 'list') return offersFor(text, field.type)[0] ?? cell;
  if (isJson(text)) return cell;
  const element = elementOf(field);
  return `[${(elementsIn(text) ?? [text.trim()]).map((one) => jsonOfCell(convertedCell(one, element), element)).join(',')}]`;
}

/** A time in a form of people, as the API writes it; undefined for one that it takes, and for none. */
function convertedTime(text: string): string | undefined {
  return momentOf(text) === undefined ? timeIn(offersFor(text, 'timestamp')[0] ?? text) : undefined;
}

/** A text that cannot be a value of its type becomes a string, which the check refuses. Undefined if it has to be JSON, and is not. */
export function jsonOfCell(cell: string, { type }: FieldDeclaration): JsonText | undefined {
  const text = withoutApostrophe(cell);
  switch (type) {
    case 'integer':
    case 'number':
    case 'reference':
      // JSON has no leading zeros.
      return isNumeral(text) ? text.replace(/^(-?)0+(?=\d)/, '$1') : JSON.stringify(text);
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
