/** The words of a text, for many queries. */
import { type Lookup, wordsOf } from './split.ts';

/** Lookups of beginnings for which the words are not sorted yet: to sort them takes as long as a few tens of searches. */
const unsorted = 32;

export class Words {
  readonly #all: ReadonlySet<string>;
  #sorted: readonly string[] | undefined;
  #starts = 0;

  constructor(text: string) {
    this.#all = wordsOf(text);
  }

  has({ word, isStart }: Lookup): boolean {
    return isStart ? this.#hasStart(word) : this.#all.has(word);
  }

  #hasStart(start: string): boolean {
    if (this.#starts++ < unsorted) return this.#all.values().some((word) => word.startsWith(start));
    this.#sorted ??= [...this.#all].sort();
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] ?? '') < start) low = middle + 1;
      else high = middle;
    }
    return this.#sorted[low]?.startsWith(start) === true;
  }
}

/** Whether all of it is in these texts together. */
export function areFound(lookups: readonly Lookup[], texts: readonly Words[]): boolean {
  return lookups.every((lookup) => texts.some((words) => words.has(lookup)));
}
