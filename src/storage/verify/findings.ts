/** What is wrong, one line each, as many as help. */

/** Lines that are kept; further ones are only counted. */
const most = 100;

export class Findings {
  readonly lines: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(line: string): void {
    this.#count++;
    if (this.lines.length < most) this.lines.push(line);
  }
}

/** For a text whose words in the index are others. */
export function wrongWords(collection: string, recordId: number, field: string): string {
  return `${collection} ${recordId}: the index of words does not have the words of its ${field}`;
}
