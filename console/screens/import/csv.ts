/** Splits CSV (RFC 4180) into rows as its text arrives. Rows end with LF or CRLF. */
import { type Cell, Unreadable } from './source.ts';

export type CsvRow = {
  /** The line on which it begins, counted from 1. */
  readonly line: number;
  /** As it is in the file, without its line end. */
  readonly source: string;
  readonly cells: readonly Cell[];
};

/** A quote that is not closed would hold the rest of the file. The server takes no longer row unless it is told to. */
const longestRow = 16 * 1024 * 1024;

export class CsvRows {
  #held = '';
  #line = 1;

  constructor(readonly separator: string) {}

  /** The rows that are complete. Throws Unreadable. */
  push(text: string): CsvRow[] {
    return this.#rows(this.#held + text, false);
  }

  /** The last row, which need not have a line end. Throws Unreadable. */
  end(): CsvRow[] {
    return this.#rows(this.#held, true);
  }

  #rows(text: string, isLast: boolean): CsvRow[] {
    const rows: CsvRow[] = [];
    let at = 0;
    while (at < text.length) {
      const next = this.#row(text, at, isLast);
      if (next === undefined) break;
      rows.push(next.row);
      this.#line += 1 + (next.row.source.match(/\n/g)?.length ?? 0);
      at = next.end;
    }
    this.#held = text.slice(at);
    if (this.#held.length > longestRow)
      throw new Unreadable(`The row in line ${this.#line} is too long: is a quote not closed?`);
    return rows;
  }

  /** `end` is the place after its line end. Undefined if it is not complete. */
  #row(text: string, start: number, isLast: boolean): { readonly row: CsvRow; readonly end: number } | undefined {
    const cells: Cell[] = [];
    for (let at = start; ; at++) {
      const end = text.charCodeAt(at) === quote ? endOfQuotes(text, at) : endOfPlain(text, at, this.separator);
      if (end === undefined || (end === text.length && !isLast)) {
        if (end !== undefined || !isLast) return undefined;
        throw this.#failure(cells.length, 'has a quote that is not closed');
      }
      cells.push(cellIn(text.slice(at, end)));
      const next = text.charAt(end);
      if (next === this.separator) {
        at = end;
        continue;
      }
      if (next === '\r' && end + 1 === text.length && !isLast) return undefined;
      const length =
        next === '\n' ? 1 : next === '\r' && text.charAt(end + 1) === '\n' ? 2 : next === '' ? 0 : undefined;
      if (length === undefined) throw this.#failure(cells.length - 1, reasonAt(next, text.charAt(at)));
      return { row: { line: this.#line, source: text.slice(start, end), cells }, end: end + length };
    }
  }

  #failure(column: number, reason: string): Unreadable {
    return new Unreadable(`Column ${column + 1} of the row in line ${this.#line} ${reason}.`);
  }
}

const quote = 0x22;

function cellIn(source: string): Cell {
  if (source === '') return null;
  return source.charCodeAt(0) === quote ? source.slice(1, -1).replaceAll('""', '"') : source;
}

/** The place after the closing quote; undefined if there is none. */
function endOfQuotes(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 2))
    if (text.charCodeAt(at + 1) !== quote) return at + 1;
  return undefined;
}

function endOfPlain(text: string, start: number, separator: string): number {
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === separator || character === '\n' || character === '\r' || character === '"') return at;
  }
  return text.length;
}

function reasonAt(next: string, first: string): string {
  if (next === '\r') return 'has a carriage return without a line feed: lines end with LF or CRLF';
  return first === '"' ? 'has text after the closing quote' : 'has a quote inside text without quotes';
}

const separators = [',', ';', '\t'];

/** A line can have a line break within quotes. */
const firstLine = /^(?:"[^"]*"|[^"\n])*/;

/** The one that the first line has most, outside of quotes: a spreadsheet copies with tabs, and some write semicolons. */
export function separatorIn(text: string): string {
  const line = (firstLine.exec(text)?.[0] ?? '').replace(/"[^"]*"/g, '');
  const counts = separators.map((separator) => line.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** A cell with this text. */
export function cellOf(text: string, separator: string): string {
  return text === '' || /["\r\n]|^\s|\s$/.test(text) || text.includes(separator)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
