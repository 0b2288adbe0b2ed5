/** Reads the rows of a file for a proposal: CSV, a JSON object per line, or a JSON list of objects. */
import { type Cell, type CsvRow, CsvRows, NotCsv } from '../../exact/csv-rows.ts';
import { elementsOf, kindOf, membersOf } from '../../exact/json-text.ts';
import type { FileSource } from '../cut-batches.ts';
import { formatOf } from '../layout.ts';
import { jsonValue, type Value } from './forms.ts';
import { ProposedColumns } from './proposal.ts';

/** Why the file has no rows to look at. The message follows its name. */
export class NoRows extends Error {
  override readonly name = 'NoRows';
}

/** The fields of a collection. */
const maxColumns = 200;
/** Characters. */
const maxRow = 16 * 1024 * 1024;

/** Throws NoRows. */
export async function readColumns(source: FileSource): Promise<ProposedColumns> {
  let reader: RowsOfText | undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw new NoRows('is not UTF-8: save it again with this encoding');
    }
  };
  for await (const piece of source.pieces()) {
    const text = decode(piece);
    reader ??= readerFor(source.name, text);
    reader.push(text);
  }
  decode();
  reader?.end();
  if (reader === undefined || reader.columns.rows === 0) throw new NoRows('has no records');
  return reader.columns;
}

type RowsOfText = { readonly columns: ProposedColumns; push(text: string): void; end(): void };

function readerFor(name: string, text: string): RowsOfText {
  if (text.trimStart().startsWith('[')) return new JsonList();
  return formatOf(name.replace(/\.json$/i, '.ndjson'), text) === 'lines' ? new JsonRows() : new Csv();
}

class Csv implements RowsOfText {
  columns = new ProposedColumns();
  #header: readonly string[] | undefined;
  readonly #csv = new CsvRows({ row: maxRow, columns: maxColumns }, 'any');

  push(text: string): void {
    this.#take((rows) => this.#csv.push(text, rows));
  }

  end(): void {
    this.#take((rows) => this.#csv.end(rows));
  }

  #take(read: (rows: CsvRow[]) => void): void {
    const rows: CsvRow[] = [];
    try {
      read(rows);
    } catch (error) {
      if (!(error instanceof NotCsv)) throw error;
      throw new NoRows(`line ${error.line}: the row ${error.reason}`);
    }
    for (const row of rows) this.#add(row);
  }

  #add({ line, cells }: CsvRow): void {
    if (cells.length === 1 && cells[0] === null) return;
    if (this.#header === undefined) {
      this.#header = headerOf(cells, line);
      this.columns = new ProposedColumns(this.#header);
      return;
    }
    if (cells.length > this.#header.length)
      throw new NoRows(`line ${line}: the row has ${cells.length} cells, and the header ${this.#header.length}`);
    const values = this.#header.map((column, at) => [column, cellValue(cells[at] ?? null, line)] as const);
    this.columns.add(new Map(values), line);
  }
}

function cellValue(text: Cell, line: number): Value | undefined {
  return text === null ? undefined : { kind: 'cell', text, line };
}

function headerOf(cells: CsvRow['cells'], line: number): readonly string[] {
  const names = cells.map((cell) => cell?.replace(/^\uFEFF/, '').trim() ?? '');
  const nameless = names.indexOf('');
  if (nameless >= 0) throw new NoRows(`line ${line}: column ${nameless + 1} has no name`);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new NoRows(`line ${line}: two columns are called ${JSON.stringify(twice)}`);
  return names;
}

/** One object on each line. */
class JsonRows implements RowsOfText {
  readonly columns = new ProposedColumns();
  #held = '';
  #line = 1;

  push(text: string): void {
    const lines = (this.#held + text).split('\n');
    this.#held = lines.pop() ?? '';
    if (this.#held.length > maxRow) throw new NoRows(`line ${this.#line + lines.length} is too long`);
    for (const line of lines) this.#add(line);
  }

  end(): void {
    this.#add(this.#held);
  }

  #add(text: string): void {
    const line = this.#line++;
    if (text.trim() !== '') addObject(this.columns, text, line);
  }
}

/** The whole file is one list. */
class JsonList implements RowsOfText {
  readonly columns = new ProposedColumns();
  readonly #pieces: string[] = [];
  #length = 0;

  push(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length > maxRow * 8) throw new NoRows('is too large for a JSON list: write one object per line');
  }

  end(): void {
    const text = this.#pieces.join('');
    requireJson(text, 1);
    let [line, at] = [1, 0];
    for (const element of elementsOf(text)) {
      const start = text.indexOf(element, at);
      line += text.slice(at, start).split('\n').length - 1;
      addObject(this.columns, element, line);
      line += element.split('\n').length - 1;
      at = start + element.length;
    }
  }
}

function addObject(columns: ProposedColumns, text: string, line: number): void {
  requireJson(text, line);
  if (kindOf(text) !== 'object') throw new NoRows(`line ${line}: expected a JSON object`);
  const values = [...membersOf(text)].map(([name, member]) => [name, jsonValue(member, line)] as const);
  columns.add(new Map(values), line);
  if (columns.size > maxColumns) throw new NoRows(`line ${line}: the records have more than ${maxColumns} members`);
}

function requireJson(text: string, line: number): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new NoRows(`line ${line} is not JSON (${(error as Error).message})`);
  }
}
