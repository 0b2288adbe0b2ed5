/** Inserts of any number of rows by statements of a few sizes: a row in a large one costs half as much. */
import type { SQLQueryBindings, Statement } from 'bun:sqlite';
import { lazy } from '../../../domain/lazy.ts';

/** Rows per statement. A number of rows is split into two or three of these, largest first. */
const sizes = [64, 56, 48, 40, 32, 28, 24, 20, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1];

type Insert = Statement<unknown, SQLQueryBindings[]>;

export class RowInserts {
  /** Prepared at their first use. */
  readonly #statements: readonly { readonly rows: number; readonly statement: () => Insert }[];

  /** `prepare` returns the statement that inserts so many rows. */
  constructor(prepare: (rows: number) => Insert) {
    this.#statements = sizes.map((rows) => ({ rows, statement: lazy(() => prepare(rows)) }));
    // So that opening fails if the table cannot be written.
    this.#statements.at(-1)?.statement();
  }

  /** Calls `insert` for each statement, with the first row that it inserts and the one after its last, both of `count`. */
  each(count: number, insert: (statement: Insert, from: number, to: number) => void): void {
    let at = 0;
    for (const { rows, statement } of this.#statements)
      for (; count - at >= rows; at += rows) insert(statement(), at, at + rows);
  }
}
