/** Reads records from CSV as its bytes arrive. The first row names the fields. */

import { withoutApostrophe } from '../../exact/csv-cell.ts';
import { type Cell, type CsvRow, CsvRows, NotCsv } from '../../exact/csv-rows.ts';
import { Failure, invalidBody, type Problem } from '../errors.ts';
import { sentCells } from '../input/sent-members.ts';
import type { Entry, EntryReader } from '../input/text-entry.ts';
import { type NotUtf8, Utf8Pieces } from '../input/utf8.ts';
import type { Collection } from '../record/collection.ts';
import { keyedLine } from '../record/keyed-text.ts';
import { Effort } from '../record/pattern-effort.ts';
import type { FieldValue, Refusal } from '../types/type.ts';
import { type ColumnNames, type Columns, columnsOf } from './columns.ts';

export type CsvOptions = {
  /** The most characters of a row. */
  readonly maxRow: number;
  /** Fields by columns that have other names. */
  readonly mapped?: ColumnNames;
  /** Columns that are left out, if they are there. */
  readonly ignored?: readonly string[];
  /** A comma if absent; `any` is the one that the first line has. */
  readonly separator?: ',' | 'any';
  /** Entries have what was sent for them. */
  readonly keepsSent?: boolean;
  /** The fields of a unique rule: entries are keyed texts. */
  readonly key?: readonly string[] | undefined;
};

/** A collection has at most 200 fields. */
const maxColumns = 1000;

export class CsvRecords implements EntryReader {
  readonly #bytes = new Utf8Pieces();
  readonly #rows: CsvRows;
  readonly #mapped: ColumnNames;
  readonly #ignored: readonly string[];
  readonly #keepsSent: boolean;
  readonly #key: readonly string[] | undefined;
  #sent: ((cells: readonly Cell[]) => string) | undefined;
  #columns: Columns | undefined;
  #header: CsvRow | undefined;
  #isOver = false;

  constructor(
    readonly collection: Pick<Collection, 'singular' | 'record'>,
    { maxRow, mapped = new Map(), ignored = [], separator, keepsSent = false, key }: CsvOptions,
  ) {
    this.#rows = new CsvRows({ row: maxRow, columns: maxColumns }, separator);
    this.#mapped = mapped;
    this.#ignored = ignored;
    this.#keepsSent = keepsSent;
    this.#key = key;
  }

  /** The first row; undefined until it has arrived, or if it is wrong. */
  get header(): CsvRow | undefined {
    return this.#header;
  }

  /** The field of each column, null for one that is left out. Empty until the first row has arrived. */
  get fieldsOfColumns(): readonly (string | null)[] {
    const { names = [], fields = [] } = this.#columns ?? {};
    return names.map((_, place) => fields.find(({ at }) => at === place)?.key ?? null);
  }

  /** Between cells. */
  get separator(): string {
    return this.#rows.separator;
  }

  push(bytes: Uint8Array): Entry[] {
    return this.#isOver ? [] : this.#take(this.#bytes.push(bytes), false);
  }

  end(): Entry[] {
    if (this.#isOver) return [];
    const entries = this.#take(this.#bytes.end(), true);
    if (!this.#isOver && this.#columns === undefined)
      entries.push(this.#over(1, '', malformed('The text', 'is empty: the first row names the fields', 1)));
    return entries;
  }

  #take(text: string | NotUtf8, isLast: boolean): Entry[] {
    const rows: CsvRow[] = [];
    let wrong: Entry | undefined;
    try {
      this.#rows.push(typeof text === 'string' ? text : text.before, rows);
      if (isLast && typeof text === 'string') this.#rows.end(rows);
      if (typeof text !== 'string') wrong = this.#encodingFailure(text);
    } catch (error) {
      if (!(error instanceof NotCsv)) throw error;
      const { line, column, reason } = error;
      const name = this.#nameOf(column, rows);
      wrong = { line, source: '', failure: malformed(name ?? 'The row', reason, line, name), isFinal: true };
    }
    const entries: Entry[] = [];
    for (const row of rows) {
      if (isBlank(row) && this.#columns?.names.length !== 1) continue;
      const entry = this.#columns === undefined ? this.#readHeader(row) : this.#read(row, this.#columns);
      if (entry !== undefined) entries.push(entry);
      if (this.#isOver) return entries;
    }
    if (wrong !== undefined) {
      this.#isOver = true;
      entries.push(wrong);
    }
    return entries;
  }

  #readHeader(row: CsvRow): Entry | undefined {
    const columns = columnsOf(row.cells, this.collection.record, this.#mapped, this.#ignored, this.#key);
    if (columns instanceof Failure) return { ...this.#over(row.line, row.source, columns), isHeader: true };
    this.#columns = columns;
    this.#header = row;
    if (this.#keepsSent) this.#sent = sentCells(columns.names);
    return undefined;
  }

  #read({ line, cells, source }: CsvRow, columns: Columns): Entry {
    const { names, fields } = columns;
    if (cells.length !== names.length) {
      const reason = `has ${counted(cells.length, 'cell')}, and the header has ${counted(names.length, 'column')}`;
      return { line, source, failure: malformed('The row', reason, line), isFinal: false };
    }
    const { singular, record } = this.collection;
    const problems: Problem[] = [];
    const effort = new Effort();
    const row: Record<string, FieldValue> | undefined = record.judge && {};
    // Written at once: an object of the values in between would cost as much again. Joined at the end: a text that grows is kept in
    // pieces, which take several times its memory.
    const parts: string[] = [];
    // With a key: the fields that are sent, and the required ones that are not.
    const some: string[] = [];
    const lacking: string[] = [];
    const isKeyed = this.#key !== undefined;
    for (const { key, field, encode, at, lead, absent, preset, empty } of fields) {
      const cell = at < 0 ? null : (cells[at] ?? null);
      const value = at < 0 ? undefined : cell === null ? empty : field.readCell(withoutApostrophe(cell), effort);
      const text = value === undefined ? absent : value === null ? 'null' : isRefusal(value) ? value : encode(value);
      if (isKeyed && value === undefined && isRefusal(text)) lacking.push(key);
      else if (isRefusal(text)) problems.push({ field: key, message: refusal(text.refused, cell) });
      else if (text !== undefined) {
        parts.push(lead, text);
        if (isKeyed && value !== undefined) some.push(lead, text);
      }
      // A field that is not sent keeps the value of a record that has the key, so no rule can be judged by it here.
      const read = value === undefined && !isKeyed ? preset : value;
      if (row !== undefined && read !== undefined && !isRefusal(read)) row[key] = read;
    }
    if (row !== undefined) record.judge?.(row, problems);
    if (problems.length === 0) {
      const whole = objectOf(parts);
      const create = lacking.length > 0 ? lacking : whole;
      const json = isKeyed ? keyedLine({ update: objectOf(some), create }) : whole;
      if (this.#sent === undefined) return { line, source, json };
      return { line, source, json, sent: this.#sent(cells.map((cell) => cell && withoutApostrophe(cell))) };
    }
    return { line, source, failure: invalidBody(singular, problems), isFinal: false };
  }

  #over(line: number, source: string, failure: Failure): Entry {
    this.#isOver = true;
    return { line, source, failure, isFinal: true };
  }

  #encodingFailure({ reason }: NotUtf8): Entry {
    const line = this.#rows.lastLine;
    return { line, source: '', failure: malformed('The text', reason, line), isFinal: true };
  }

  #nameOf(column: number | undefined, rows: readonly CsvRow[]): string | undefined {
    if (column === undefined) return undefined;
    const header = this.#header ?? rows.find((row) => !isBlank(row));
    return header?.cells[column] ?? `column ${column + 1}`;
  }
}

/** The contract's id is the first member, and may be left out. */
function objectOf(parts: readonly string[]): string {
  const text = parts.join('');
  return text[0] === '{' ? `${text}}` : `{${text.slice(1)}}`;
}

function isRefusal(value: FieldValue | Refusal | undefined): value is Refusal {
  return typeof value === 'object' && value !== null;
}

function refusal(refused: string, cell: Cell): string {
  return cell === '' ? `${refused}; for null, leave the cell empty, without quotes` : refused;
}

function isBlank({ cells }: CsvRow): boolean {
  return cells.length === 1 && cells[0] === null;
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

function malformed(subject: string, reason: string, line: number, field?: string): Failure {
  return new Failure('malformed_csv', {
    detail: `${subject} ${reason}.`,
    problems: [{ field, message: reason, line }],
  });
}
