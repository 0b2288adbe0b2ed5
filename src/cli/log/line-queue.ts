/** Lines that wait to be written, in batches. */

/** In characters. Beyond this, lines are dropped and counted: a reader or a disk that is stuck must not fill the memory. */
const maxPending = 8 * 1024 * 1024;

const maxFlushMs = 1000;

/** What takes whole lines. */
export type LineWriter = {
  /** One line or several, with their ends. */
  write(lines: string): void;
  /** Resolves when the lines so far are written, also if more have come meanwhile. */
  written(): Promise<void>;
};

/** Until the batch is written the other thread sends no more, and drops lines as this one does. */
export function writeBatch(lines: LineWriter, batch: string): Promise<void> {
  lines.write(batch);
  return lines.written();
}

export class LineQueue implements LineWriter {
  #pending: string[] = [];
  #pendingLength = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;
  /** Of the batch that is being collected. */
  #batchWritten = Promise.withResolvers<void>();

  constructor(
    /** Returns undefined for a batch that is written at once. Never rejects. */
    readonly writeOut: (batch: string) => Promise<void> | undefined,
    /** The line that says how many lines are missing before it. */
    readonly droppedLine: (count: number, time: string) => object,
  ) {}

  write(lines: string): void {
    if (this.#pendingLength > maxPending) {
      this.#dropped += lines.split('\n').length - 1;
      return;
    }
    this.#pending.push(lines);
    this.#pendingLength += lines.length;
    this.#writing ??= this.#drain();
  }

  async written(): Promise<void> {
    await (this.#pending.length > 0 ? this.#batchWritten.promise : this.#writing);
  }

  /** Resolves when all lines are written, or after a second: what is stuck must not keep the process alive. */
  async flush(): Promise<void> {
    await Promise.race([this.#writing, Bun.sleep(maxFlushMs)]);
  }

  async #drain(): Promise<void> {
    // Other lines of this turn go into the same batch.
    await undefined;
    while (this.#pending.length > 0) {
      const batch = this.#pending.join('');
      this.#pending = [];
      this.#pendingLength = 0;
      const { resolve } = this.#batchWritten;
      this.#batchWritten = Promise.withResolvers();
      const later = this.writeOut(batch);
      if (later !== undefined) await later;
      resolve();
      if (this.#dropped > 0) {
        this.#pending.push(`${JSON.stringify(this.droppedLine(this.#dropped, new Date().toISOString()))}\n`);
        this.#dropped = 0;
      }
    }
    this.#writing = undefined;
  }
}
