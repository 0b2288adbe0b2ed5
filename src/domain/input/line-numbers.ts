/** The line of each record of a bulk: blank lines have none, and a row of CSV can have several. */
export class LineNumbers {
  /** Where the distance between line and record changes: the number of a record, and its line, by turns. */
  #starts = new Float64Array(16);
  #length = 0;
  #records = 0;
  #distance = 0;

  /** The next record begins on this line. */
  add(line: number): void {
    this.#records++;
    if (line - this.#records === this.#distance) return;
    this.#distance = line - this.#records;
    if (this.#length === this.#starts.length) {
      const longer = new Float64Array(this.#length * 2);
      longer.set(this.#starts);
      this.#starts = longer;
    }
    this.#starts[this.#length++] = this.#records;
    this.#starts[this.#length++] = line;
  }

  /** `record` is counted from 1. */
  lineOf(record: number): number {
    for (let at = this.#length - 2; at >= 0; at -= 2) {
      const [start = 0, line = 0] = this.#starts.subarray(at, at + 2);
      if (start <= record) return line + record - start;
    }
    return record;
  }
}
