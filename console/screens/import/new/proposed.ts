/** A new collection as it is proposed for a file, and as the person changes it. */
import { fieldNameMistake } from '../../../../src/declarations/names.ts';
import type { ColumnProposal } from '../../../../src/import/proposal/proposal.ts';
import { readColumns } from '../../../../src/import/proposal/read-rows.ts';
import { unquoted } from '../../../api/json.ts';
import type { NewCollection } from '../../../schema/file/collection-edits.ts';
import type { FileField } from '../../../schema/file/model.ts';
import { piecesOf } from '../blob-batches.ts';
import { asLines } from '../json-list.ts';
import { type Layout, lookAt } from '../layout.ts';
import type { Source, SourceRow } from '../source.ts';

export type ProposedColumn = {
  readonly column: string;
  readonly field: FileField;
  readonly because: string;
  /** In the first rows. */
  readonly examples: readonly string[];
  readonly isLeftOut: boolean;
};

export type Proposed = {
  /** What is imported. */
  readonly source: Source;
  readonly layout: Layout;
  readonly rows: number;
  readonly name: string;
  readonly singular: string;
  readonly columns: readonly ProposedColumn[];
};

const examples = 3;

/** Looks at every row. Throws NoRows or Unreadable. */
export async function propose(given: Source, taken: readonly string[]): Promise<Proposed> {
  const { name, blob } = given;
  const found = await readColumns({ name, size: blob.size, pieces: () => piecesOf(blob) });
  const proposal = found.propose(freeName(name, taken), (field) => fieldNameMistake(field, false) !== undefined);
  const source = await asLines(given);
  const { layout, rows } = await lookAt(source);
  return {
    source,
    // Members of lines may come late.
    layout: layout.format === 'lines' ? { ...layout, columns: proposal.columns.map(({ column }) => column) } : layout,
    rows: proposal.rows,
    name: proposal.collection,
    singular: proposal.singular,
    columns: proposal.columns.map((column, place) => columnOf(column, place, rows)),
  };
}

function columnOf({ column, name, field, because }: ColumnProposal, place: number, rows: readonly SourceRow[]) {
  const { type, ...options } = field;
  const texts = Object.entries(options).map(([option, value]) => [option, JSON.stringify(value)] as const);
  return {
    column,
    field: { name, type, options: new Map(texts) },
    because,
    examples: rows.slice(0, examples).map((row) => textOf(row, column, place)),
    isLeftOut: false,
  };
}

function textOf(row: SourceRow, column: string, place: number): string {
  if ('cells' in row) return row.cells[place] ?? '';
  return 'members' in row ? unquoted(row.members.get(column) ?? '""') : '';
}

/** `My Books (2).csv` becomes `my_books_2`. */
function freeName(file: string, taken: readonly string[]): string {
  const plain = file
    .replace(/\.\w+$/, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_\d]+|_+$/g, '')
    .slice(0, 40);
  const begun = plain === '' || file === 'pasted text' ? 'records' : plain;
  for (let number = 2, name = begun; ; number++) {
    if (!taken.includes(name)) return name;
    name = `${begun}_${number}`;
  }
}

/** With the evidence in comments, as `shelf generate` writes it. */
export function declarationOf({ name, singular, columns }: Proposed): NewCollection {
  const fields = columns
    .filter(({ isLeftOut }) => !isLeftOut)
    .map(({ column, field, because }) => ({
      ...field,
      comment: oneLine(`${column === field.name ? '' : `${column}: `}${because}.`),
    }));
  return { name, singular, fields };
}

export function planOf({ name, layout, columns }: Proposed) {
  const fields = new Map(columns.map(({ column, field, isLeftOut }) => [column, isLeftOut ? null : field.name]));
  return { collection: name, layout, fields: layout.columns.map((column) => fields.get(column.trim()) ?? null) };
}

export function withColumn(proposed: Proposed, place: number, change: Partial<ProposedColumn>): Proposed {
  const columns = proposed.columns.map((one, at) => (at === place ? { ...one, ...change } : one));
  return { ...proposed, columns };
}

/** A text from a file cannot end the comment. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
