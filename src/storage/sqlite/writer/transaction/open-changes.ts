/** The changes of an open transaction. They are written at its end: each has the number of the first, and how many they are. */

export type ChangeRange = { readonly first: number; readonly size: number };

/** Writes changes. A lone change has no range. */
type Insert = (range: ChangeRange | undefined) => void;

export class OpenChanges {
  size = 0;
  readonly #inserts: Insert[] = [];

  add(rows: number, insert: Insert): void {
    this.size += rows;
    this.#inserts.push(insert);
  }

  /** `first` is the number that the first of them gets. */
  write(first: number): void {
    const range = this.size > 1 ? { first, size: this.size } : undefined;
    for (const insert of this.#inserts) insert(range);
  }
}
