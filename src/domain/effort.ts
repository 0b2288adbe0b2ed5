/** Bounds the work of patterns for a request: a thread serves no other one meanwhile. */

/** For one record, in words of the sets of nodes that its texts are walked with: some 20 ms on a quiet machine. */
export const maxWords = 2 ** 23;

/** What is left of that for the texts of one record. `words` are those that a pattern takes for a character at most. */
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
