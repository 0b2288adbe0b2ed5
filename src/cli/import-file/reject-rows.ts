/** Reads a file of refused rows, as far as it is complete: the end of the last row may be missing. */
import type { FileHandle } from 'node:fs/promises';
import { type CsvRow, CsvRows, NotCsv } from '../../exact/csv-rows.ts';
import type { Layout } from '../../import/layout.ts';
import { rejectNames } from '../../import/refused-text.ts';
import { piecesOf } from './input.ts';

/** `end` is the place after the row, in bytes. */
export type RejectRow = { readonly line: number; readonly id: string; readonly end: number };

/** An import has refused longer rows before they got here. */
const anyRow = { row: Number.POSITIVE_INFINITY, columns: 1_000_000 };

/** `path` is for messages. */
export async function* rejectRows(file: FileHandle, path: string, format: Layout['format']): AsyncGenerator<RejectRow> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  async function* texts(): AsyncGenerator<string> {
    for await (const piece of piecesOf(file, path, true)) yield decoder.decode(piece, { stream: true });
  }
  let end = 0;
  for await (const { source, line, id } of format === 'csv' ? csvRows(texts()) : jsonRows(texts())) {
    end += Buffer.byteLength(source) + 1;
    if (line !== rejectNames[0]) yield { line: Number(line), id, end };
  }
}

type Found = { readonly source: string; readonly line: string; readonly id: string };

async function* csvRows(texts: AsyncIterable<string>): AsyncGenerator<Found> {
  const parser = new CsvRows(anyRow, 'any');
  const found = ({ source, cells }: CsvRow) => ({ source, line: cells[0] ?? '', id: cells[2] ?? '' });
  let last = '';
  for await (const text of texts) {
    const rows: CsvRow[] = [];
    parser.push(text, rows);
    yield* rows.map(found);
    last = text;
  }
  const rows: CsvRow[] = [];
  try {
    parser.end(rows);
    if (!last.endsWith('\n')) rows.pop();
  } catch (error) {
    // The end of a row in quotes is missing.
    if (!(error instanceof NotCsv)) throw error;
  }
  yield* rows.map(found);
}

async function* jsonRows(texts: AsyncIterable<string>): AsyncGenerator<Found> {
  let partial = '';
  for await (const text of texts) {
    const lines = (partial + text).split('\n');
    partial = lines.pop() ?? '';
    for (const source of lines) {
      const { _line, _import } = valuesIn(source);
      yield { source, line: String(_line), id: _import ?? '' };
    }
  }
}

function valuesIn(source: string): { readonly _line?: number; readonly _import?: string } {
  try {
    return JSON.parse(source);
  } catch {
    return {};
  }
}
