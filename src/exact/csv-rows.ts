/**
 * Splits CSV (RFC 4180) into rows as the text arrives. Rows end with LF or CRLF. A row is held in memory until it is complete, so
 * its length is limited.
 */
import { firstLineEnds, separatorIn } from './csv-separator.ts';

/** Null is an empty cell without quotes; a cell in quotes is text, also if it is empty. */
export type Cell = string | null;

export type CsvRow = {
  /** The line on which it begins, counted from 1. */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** The row as it was sent, without its line end. */
  readonly source: string;
};

/** Why the text is not CSV. `column` is counted from 0; undefined for the row as a whole. */
export class NotCsv extends Error {
  override readonly name = 'NotCsv';

  constructor(
    readonly line: number,
    readonly column: number | undefined,
    readonly reason: string,
  ) {
    super(reason);
  }
}

export type CsvLimits = {
  /** The most characters of a row. */
  readonly row: number;
  readonly columns: number;
};

const [quote, carriageReturn, lineFeed] = [0x22, 0x0d, 0x0a];

export class CsvRows {
  /** The row that is not complete, and text after it that was not looked at. */
  #held = '';
  #pieces: string[] = [];
  #waiting = 0;
  /** The line on which `#held` begins. */
  #line = 1;
  /** Undefined until the first line shows it. */
  #separator: string | undefined;
  #separatorCode = 0;

  /** `separator` is the character between cells; `any` is the one that the first line has. */
  constructor(
    readonly limits: CsvLimits,
    separator = ',',
  ) {
    if (separator !== 'any') this.#use(separator);
  }

  /** A comma until the first line shows another one. */
  get separator(): string {
    return this.#separator ?? ',';
  }

  #use(separator: string): void {
    this.#separator = separator;
    this.#separatorCode = separator.charCodeAt(0);
  }

  /** Adds the rows that are complete to `rows`; those before an error, too. Throws NotCsv. */
  push(text: string, rows: CsvRow[]): void {
    this.#pieces.push(text);
    this.#waiting += text.length;
    // The incomplete row is read again with each piece. It waits until there is as much text again, so that a client that sends
    // single bytes costs no more than another.
    if (this.#waiting >= Math.min(this.#held.length, this.limits.row)) this.#read(rows, false);
  }

  /** Adds the last row, which need not have a line end. Throws NotCsv. */
  end(rows: CsvRow[]): void {
    this.#read(rows, true);
  }

  /** The line on which the text ends so far. */
  get lastLine(): number {
    return this.#line + lineFeedsIn([this.#held, ...this.#pieces].join(''));
  }

  #read(rows: CsvRow[], isLast: boolean): void {
    const text = this.#held + this.#pieces.join('');
    this.#pieces = [];
    this.#waiting = 0;
    if (this.#separator === undefined) {
      if (!isLast && text.length <= this.limits.row && !firstLineEnds(text)) {
        this.#held = text;
        return;
      }
      this.#use(separatorIn(text));
    }
    let at = 0;
    let nextQuote = text.indexOf('"');
    let nextReturn = text.indexOf('\r');
    try {
      while (at < text.length) {
        const feed = text.indexOf('\n', at);
        const end = feed < 0 ? text.length : feed;
        if (nextQuote >= 0 && nextQuote < at) nextQuote = text.indexOf('"', at);
        if (nextReturn >= 0 && nextReturn < at) nextReturn = text.indexOf('\r', at);
        const hasQuote = nextQuote >= 0 && nextQuote < end;
        // One that does not end the row.
        const hasReturn = nextReturn >= 0 && nextReturn < (feed < 0 ? end : end - 1);
        if (hasQuote || hasReturn) {
          const row = this.#quotedRow(text, at, isLast);
          if (row === undefined) break;
          rows.push(row.row);
          this.#line += lineFeedsIn(row.row.source) + 1;
          at = row.next;
        } else {
          // Most rows have no quotes.
          if (feed < 0 && !isLast) break;
          const last = nextReturn === end - 1 && nextReturn >= at ? nextReturn : end;
          if (last - at > this.limits.row) throw this.#tooLong(undefined);
          const source = text.slice(at, last);
          rows.push({ line: this.#line, cells: this.#plainCells(source), source });
          this.#line++;
          at = end + 1;
        }
      }
      if (text.length - at > this.limits.row) throw this.#tooLong(undefined);
    } finally {
      this.#held = text.slice(at);
    }
  }

  #plainCells(source: string): Cell[] {
    // One more than the limit shows that there are too many.
    const cells: Cell[] = source.split(this.separator, this.limits.columns + 1);
    if (cells.length > this.limits.columns) throw this.#tooManyColumns();
    for (let index = 0; index < cells.length; index++) if (cells[index] === '') cells[index] = null;
    return cells;
  }

  /** A row that may have quotes and line breaks in them. Undefined if it is not complete. */
  #quotedRow(text: string, start: number, isLast: boolean): { row: CsvRow; next: number } | undefined {
    const cells: Cell[] = [];
    for (let at = start; ; at++) {
      if (cells.length === this.limits.columns) throw this.#tooManyColumns();
      const column = cells.length;
      let end: number;
      if (text.charCodeAt(at) === quote) {
        end = endOfQuotes(text, at);
        if (end < 0 || (end === text.length && !isLast)) {
          if (text.length - start > this.limits.row) throw this.#tooLong(column);
          if (isLast)
            throw this.#fail(column, `has a quote that is not closed, from line ${this.#lineOf(text, start, at)} on`);
          return undefined;
        }
        const inner = text.slice(at + 1, end - 1);
        cells.push(inner.includes('"') ? inner.replaceAll('""', '"') : inner);
      } else {
        end = endOfPlain(text, at, this.#separatorCode);
        if (end === text.length && !isLast) return undefined;
        cells.push(end === at ? null : text.slice(at, end));
      }
      if (end - start > this.limits.row) throw this.#tooLong(undefined);
      const next = text.charCodeAt(end);
      if (next === this.#separatorCode) {
        at = end;
        continue;
      }
      const length = end === text.length ? 0 : next === lineFeed ? 1 : lineEndAt(text, end);
      if (length === undefined) {
        if (next === carriageReturn && end + 1 === text.length && !isLast) return undefined;
        if (next === carriageReturn) throw this.#returnAlone(column);
        throw this.#fail(
          column,
          next === quote ? 'has a quote inside text without quotes' : 'has text after the closing quote',
        );
      }
      const row = { line: this.#line, cells, source: text.slice(start, end) };
      return { row, next: end + length };
    }
  }

  /** The line of a place in the row that begins at `start`. */
  #lineOf(text: string, start: number, at: number): number {
    return this.#line + lineFeedsIn(text.slice(start, at));
  }

  #fail(column: number | undefined, reason: string): NotCsv {
    return new NotCsv(this.#line, column, reason);
  }

  #returnAlone(column: number): NotCsv {
    return this.#fail(column, 'has a carriage return without a line feed: end lines with LF or CRLF');
  }

  /** `open` is the column of a quote that is not closed so far. */
  #tooLong(open: number | undefined): NotCsv {
    const reason = `is over the limit of ${this.limits.row} characters`;
    return this.#fail(open, open === undefined ? reason : `${reason}, because a quote is not closed`);
  }

  #tooManyColumns(): NotCsv {
    return this.#fail(undefined, `has more than ${this.limits.columns} columns`);
  }
}

/** The place after the closing quote; negative if there is none. `start` is at the opening quote. */
function endOfQuotes(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== quote) return at + 1;
  }
  return -1;
}

/** The place of the separator, line end or quote after a cell without quotes. */
function endOfPlain(text: string, start: number, separator: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === separator || code === lineFeed || code === carriageReturn || code === quote) return at;
  }
  return text.length;
}

/** The length of a CRLF; undefined for anything else. */
function lineEndAt(text: string, at: number): number | undefined {
  return text.charCodeAt(at) === carriageReturn && text.charCodeAt(at + 1) === lineFeed ? 2 : undefined;
}

function lineFeedsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
