/** Proposes the declaration of a collection from the rows of a file. */
import { Evidence } from './evidence.ts';
import { type FieldProposal, proposeField } from './field.ts';
import type { Value } from './forms.ts';
import { fieldName, singularOf } from './names.ts';

/** `column` is its name in the file. */
export type ColumnProposal = FieldProposal & { readonly column: string; readonly name: string };

export type Proposal = {
  readonly collection: string;
  readonly singular: string;
  readonly rows: number;
  readonly columns: readonly ColumnProposal[];
};

export class ProposedColumns {
  rows = 0;
  readonly #columns = new Map<string, Evidence>();

  /** The columns of CSV, in their order; members of JSON come as they are found. */
  constructor(columns: readonly string[] = []) {
    for (const column of columns) this.#columns.set(column, new Evidence());
  }

  get size(): number {
    return this.#columns.size;
  }

  /** An empty cell, and null, are undefined. */
  add(values: ReadonlyMap<string, Value | undefined>, line: number): void {
    for (const [column, value] of values) {
      const evidence = this.#evidenceOf(column);
      if (value === undefined) evidence.addEmpty(line);
      else evidence.add(value);
    }
    for (const [column, evidence] of this.#columns) if (!values.has(column)) evidence.addEmpty(line);
    this.rows++;
  }

  propose(collection: string, isReserved: (name: string) => boolean): Proposal {
    const taken = new Set<string>();
    const columns = [...this.#columns].map(([column, evidence]) => {
      const name = fieldName(column, taken, isReserved);
      taken.add(name);
      return { column, name, ...proposeField(name, evidence) };
    });
    return { collection, singular: singularOf(collection), rows: this.rows, columns };
  }

  /** A member that comes first in a later row was empty before. */
  #evidenceOf(column: string): Evidence {
    const known = this.#columns.get(column);
    if (known !== undefined) return known;
    const evidence = new Evidence(this.rows);
    this.#columns.set(column, evidence);
    return evidence;
  }
}
