/** The changes of an open transaction. They are written at its end: each has the number of the first, and how many they are. */

/** A change without what all changes of a transaction share. */
export type ChangeRow = readonly [
  collection: string,
  type: 'created' | 'updated' | 'deleted',
  recordId: bigint | number,
  version: bigint | number,
  createdAt: string,
  json: string,
  before: string | null,
  updatedAt: string | null,
];

export type ChangeRange = { readonly first: number; readonly size: number };

/** Writes changes. A lone change has no range. */
type Insert = (range: ChangeRange | undefined) => void;
type InsertRows = (rows: readonly ChangeRow[], range: ChangeRange | undefined) => void;

export class OpenChanges {
  size = 0;
  readonly #inserts: Insert[] = [];
  /** Those that the last of the inserts writes, if more can join them. */
  #last: ChangeRow[] | undefined;

  /** One change. Those that follow one another are written together. */
  addOne(row: ChangeRow, insert: InsertRows): void {
    this.size++;
    if (this.#last === undefined) {
      const rows: ChangeRow[] = [];
      this.#inserts.push((range) => insert(rows, range));
      this.#last = rows;
    }
    this.#last.push(row);
  }

  add(rows: number, insert: Insert): void {
    this.size += rows;
    this.#inserts.push(insert);
    this.#last = undefined;
  }

  /** `first` is the number that the first of them gets. */
  write(first: number): void {
    const range = this.size > 1 ? { first, size: this.size } : undefined;
    for (const insert of this.#inserts) insert(range);
  }
}
