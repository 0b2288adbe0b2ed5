/** A cell of CSV as a value in JSON. */
import { withoutApostrophe } from '../../../src/exact/csv-cell.ts';
import { compact, type JsonText } from '../../../src/exact/json-text.ts';
import { isNumeral } from '../../../src/exact/numeral.ts';
import type { FieldDeclaration } from '../../api/declarations.ts';

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
