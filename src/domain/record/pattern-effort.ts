/** Bounds the work of patterns for a request: a thread serves no other one meanwhile. */

/** The budget of one record, in words of bit sets that are read: some 20 ms on a quiet machine. */
export const maxWords = 2 ** 23;

/** What is left of the budget for the texts of one record. `words` is the most that a pattern reads for one character. */
export class Effort {
  #left = maxWords;

  /** The most characters of the next text; below 0 if there can be none. */
  longest(words: number): number {
    return Math.floor(this.#left / words) - 1;
  }

  /** An empty text takes work, too: each counts as one character more. */
  spend(characters: number, words: number): void {
    this.#left -= (characters + 1) * words;
  }
}
