/** How a file is laid out: CSV with its columns, or one JSON object per line. */
import { separatorIn } from '../../../src/exact/csv-separator.ts';
import { formatOf, type Layout as TextLayout } from '../../../src/import/layout.ts';
import { csvRows } from './csv.ts';
import { JsonRows } from './json-rows.ts';
import { type RowReader, type Source, type SourceRow, Unreadable } from './source.ts';

/** `columns` are the names in the first row, or the members of the first lines. */
export type Layout = TextLayout & { readonly columns: readonly string[] };

const headBytes = 256 * 1024;
const headRows = 20;

/** Looks at the beginning of a file. Throws Unreadable. */
export async function lookAt(
  source: Source,
): Promise<{ readonly layout: Layout; readonly rows: readonly SourceRow[] }> {
  const head = source.blob.slice(0, headBytes);
  const text = textIn(new Uint8Array(await head.arrayBuffer()), head.size < source.blob.size);
  if (text.trim() === '') throw new Unreadable('There is no text in it.');
  const format = formatOf(source.name, text);
  const separator = format === 'csv' ? separatorIn(text) : '';
  const reader = format === 'csv' ? csvRows(separator) : new JsonRows();
  const all: SourceRow[] = [...reader.push(text), ...(head.size < source.blob.size ? [] : reader.end())];
  if (format === 'lines') {
    const rows = all.slice(0, headRows);
    const names = new Set(rows.flatMap((row) => ('members' in row ? [...row.members.keys()] : [])));
    return { layout: { format, separator, header: '', columns: [...names] }, rows };
  }
  const [header, ...rows] = all.filter((row) => !isBlank(row));
  if (header === undefined || !('cells' in header)) throw new Unreadable('Its first row is too long.');
  const columns = header.cells.map((cell) => cell ?? '');
  return { layout: { format, separator, header: header.source, columns }, rows: rows.slice(0, headRows) };
}

export function readerFor({ format, separator, columns }: Layout): RowReader {
  if (format === 'lines') return new JsonRows();
  const rows = csvRows(separator);
  let hasHeader = false;
  const records = (all: readonly SourceRow[]): SourceRow[] =>
    all.filter((row) => {
      if (isBlank(row) && (!hasHeader || columns.length !== 1)) return false;
      if (hasHeader) return true;
      hasHeader = true;
      return false;
    });
  return { push: (text) => records(rows.push(text)), end: () => records(rows.end()) };
}

function isBlank(row: SourceRow): boolean {
  return 'cells' in row && row.cells.length === 1 && row.cells[0] === null;
}

/** Throws Unreadable. `isCut`: the last character may be incomplete. */
function textIn(bytes: Uint8Array, isCut: boolean): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new Unreadable('It is UTF-16: save it as UTF-8.');
  if (first === 0x1f && second === 0x8b) throw new Unreadable('It is compressed with gzip: decompress it first.');
  return decoded(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut }));
}

export function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new Unreadable('It is not UTF-8: save it as UTF-8.');
  }
}
