/** Lines that wait to be written, in batches. */

/** In bytes. Beyond this, lines are dropped and counted: a reader or a disk that is stuck must not fill the memory. */
const maxPending = 8 * 1024 * 1024;

const maxFlushMs = 1000;

const lineEnd = 10;

/** What takes whole lines. */
export type LineWriter = {
  /** One line or several, with their ends. True if they are written: else the bytes must not change any more. */
  write(lines: Uint8Array): boolean;
  /** Resolves when the lines so far are written, also if more have come meanwhile. */
  written(): Promise<void>;
};

/** Until the batch is written the other thread sends no more, and drops lines as this one does. */
export function writeBatch(lines: LineWriter, batch: Uint8Array): Promise<void> {
  lines.write(batch);
  return lines.written();
}

export class LineQueue implements LineWriter {
  #pending: Uint8Array[] = [];
  #pendingLength = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;
  /** Of the batch that is being collected. */
  #batchWritten = Promise.withResolvers<void>();

  constructor(
    /** Returns undefined for a batch that is written at once. Never rejects. */
    readonly writeOut: (batch: Uint8Array) => Promise<void> | undefined,
    /** The line that says how many lines are missing before it. */
    readonly droppedLine: (count: number, time: string) => object,
  ) {}

  write(lines: Uint8Array): boolean {
    if (this.#writing === undefined) {
      const later = this.writeOut(lines);
      if (later === undefined) return true;
      this.#writing = this.#drain(later);
    } else if (this.#pendingLength > maxPending) {
      this.#dropped += countLines(lines);
    } else {
      this.#pending.push(lines);
      this.#pendingLength += lines.length;
    }
    return false;
  }

  async written(): Promise<void> {
    await (this.#pending.length > 0 ? this.#batchWritten.promise : this.#writing);
  }

  /** Resolves when all lines are written, or after a second: what is stuck must not keep the process alive. */
  async flush(): Promise<void> {
    await Promise.race([this.#writing, Bun.sleep(maxFlushMs)]);
  }

  /** Until nothing is pending. `first` is the batch that is being written. */
  async #drain(first: Promise<void>): Promise<void> {
    await first;
    while (this.#pending.length > 0) {
      const batch = Buffer.concat(this.#pending);
      this.#pending = [];
      this.#pendingLength = 0;
      const { resolve } = this.#batchWritten;
      this.#batchWritten = Promise.withResolvers();
      await this.writeOut(batch);
      resolve();
      if (this.#dropped > 0) {
        const line = `${JSON.stringify(this.droppedLine(this.#dropped, new Date().toISOString()))}\n`;
        this.#pending.push(Buffer.from(line));
        this.#dropped = 0;
      }
    }
    this.#writing = undefined;
  }
}

function countLines(lines: Uint8Array): number {
  let count = 0;
  for (let at = lines.indexOf(lineEnd); at >= 0; at = lines.indexOf(lineEnd, at + 1)) count++;
  return count;
}
