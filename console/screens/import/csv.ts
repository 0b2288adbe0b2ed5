/** Rows of CSV as the text of a file arrives. */
import { type CsvRow, CsvRows as ExactRows, NotCsv } from '../../../src/exact/csv-rows.ts';
import { Unreadable } from './source.ts';

/** A quote that is not closed would hold the rest of the file. The server takes no longer row unless it is told to. */
const longestRow = 16 * 1024 * 1024;

export class CsvRows {
  readonly #rows: ExactRows;

  constructor(separator: string) {
    this.#rows = new ExactRows({ row: longestRow, columns: longestRow }, separator);
  }

  /** The rows that are complete. Throws Unreadable. */
  push(text: string): CsvRow[] {
    return readable((rows) => this.#rows.push(text, rows));
  }

  /** The last row, which need not have a line end. Throws Unreadable. */
  end(): CsvRow[] {
    return readable((rows) => this.#rows.end(rows));
  }
}

function readable(read: (rows: CsvRow[]) => void): CsvRow[] {
  const rows: CsvRow[] = [];
  try {
    read(rows);
    return rows;
  } catch (error) {
    if (!(error instanceof NotCsv)) throw error;
    const { line, column, reason } = error;
    const row = `row in line ${line}`;
    throw new Unreadable(`${column === undefined ? `The ${row}` : `Column ${column + 1} of the ${row}`} ${reason}.`);
  }
}

/** A cell with this text. */
export function cellOf(text: string, separator: string): string {
  return text === '' || /["\r\n]|^\s|\s$/.test(text) || text.includes(separator)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
