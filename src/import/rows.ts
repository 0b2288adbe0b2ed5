/** The rows of a file that is imported. */

export type Row = {
  /** Where it begins, counted from 1. */
  readonly line: number;
  /** As it is in the file, without its line end. */
  readonly source: string;
};

/** `json` is the record as the target takes it. */
export type GoodRow = Row & { readonly json: string };

export type RefusedRow = Row & {
  readonly reason: string;
  /** Nothing is read after it. */
  readonly isFinal?: boolean;
  /** It is the header of CSV, which names other fields. */
  readonly isHeader?: boolean;
};

/** A problem of a row, as in "price is required"; `field` is undefined for the row as a whole. */
export type RowProblem = { readonly field: string | undefined; readonly message: string };

export function reasonOf(problems: readonly RowProblem[]): string {
  return problems.map(({ field, message }) => (field === undefined ? message : `${field} ${message}`)).join('; ');
}
