/** How wide the numbers of each column are: none is cut, so a column is as wide as the longest that was seen. */
import { type Column, isNumeric } from '../../api/columns.ts';
import type { Row } from '../../api/pages.ts';

export class Digits {
  /** Characters, by the name of the column. */
  readonly #longest = new Map<string, number>();
  #digitWidth: number | undefined;

  see(row: Row | undefined, columns: readonly Column[]): void {
    if (row === undefined) return;
    for (const { name, field } of columns) {
      const length = isNumeric(field) ? (row.values.get(name) ?? '').replaceAll('"', '').length : 0;
      if (length > (this.#longest.get(name) ?? 0)) this.#longest.set(name, length);
    }
  }

  /** In pixels. */
  widthOf(name: string): number {
    this.#digitWidth ??= widthOfDigit();
    return (this.#longest.get(name) ?? 0) * this.#digitWidth;
  }
}

/** All digits are as wide as each other, and no other character of a number is wider than the widest of these. */
function widthOfDigit(): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return 10;
  context.font = getComputedStyle(document.body).font;
  return Math.max(...['0', '-', 'e', '+'].map((text) => context.measureText(text).width));
}
