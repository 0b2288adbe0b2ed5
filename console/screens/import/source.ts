/** A file or a text to import, and its rows. */
import type { Cell } from '../../../src/exact/csv-rows.ts';
import type { JsonText } from '../../../src/exact/json-text.ts';

export type Source = { readonly name: string; readonly blob: Blob };

/** `line` is where it begins, counted from 1; `source` is without its line end. `wrong`: why the line has no members. */
export type SourceRow = { readonly line: number; readonly source: string } & (
  | { readonly cells: readonly Cell[] }
  | { readonly members: ReadonlyMap<string, JsonText> }
  | { readonly wrong: string }
);

/** Both throw Unreadable. */
export type RowReader = { push(text: string): SourceRow[]; end(): SourceRow[] };

/** Why the text cannot be read on. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
