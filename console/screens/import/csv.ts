/** Rows of CSV as the text of a file arrives. */
import { type CsvRow, CsvRows, NotCsv } from '../../../src/exact/csv-rows.ts';
import { type RowReader, Unreadable } from './source.ts';

/** A quote that is not closed would hold the rest of the file. The server takes no longer row unless it is told to. */
const longestRow = 16 * 1024 * 1024;

export function csvRows(separator: string): RowReader {
  const rows = new CsvRows({ row: longestRow, columns: longestRow }, separator);
  return {
    push: (text) => readable((found) => rows.push(text, found)),
    end: () => readable((found) => rows.end(found)),
  };
}

function readable(read: (found: CsvRow[]) => void): CsvRow[] {
  const found: CsvRow[] = [];
  try {
    read(found);
    return found;
  } catch (error) {
    if (!(error instanceof NotCsv)) throw error;
    const { line, column, reason } = error;
    const row = `row in line ${line}`;
    throw new Unreadable(`${column === undefined ? `The ${row}` : `Column ${column + 1} of the ${row}`} ${reason}.`);
  }
}
