/** Writes log lines in batches, so that logging adds little to a request. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** In characters. Beyond this, lines are dropped and counted: a log reader that is stuck must not fill the memory. */
const maxPending = 8 * 1024 * 1024;

/** A part may refer to the text of its request, which may be a hundred times as long: a copy does not. */
const maxUncopied = 4096;

const maxFlushMs = 1000;

/** What takes whole lines. */
export type LineWriter = {
  /** One line or several, with their ends. */
  write(lines: string): void;
  /** Resolves when the lines so far are written, also if more have come meanwhile. */
  written(): Promise<void>;
};

export type LogWriter = LineWriter & {
  /**
   * The batch that is being collected: takes the parts of one more line. Undefined if too many lines wait: this one is dropped. To join
   * all parts of a batch at once takes less time than to join the parts of each line.
   */
  collect(): string[] | undefined;
  /** Resolves when all lines are written, or after a second: a log reader that is stuck must not keep the process alive. */
  flush(): Promise<void>;
};

export function logWriter(stream: Writable): LogWriter {
  // The server continues if the log reader goes away.
  stream.on('error', ignore);
  // A callback for each batch would take longer than to write it. A stream whose reader has gone never drains.
  return batchedLog((batch) =>
    stream.write(batch) || !stream.writable ? undefined : once(stream, 'drain').then(ignore, ignore),
  );
}

/**
 * The log of another thread than the main one. Threads that write to the same stream would tear each other's lines: a
 * pipe accepts a long batch in parts. So they give their batches to the main thread, one at a time.
 */
export function logOverMain(main: { writeLog(batch: string): Promise<void> }): LogWriter {
  return batchedLog((batch) => main.writeLog(batch).catch(ignore));
}

/** Served by the main thread. Until the batch is written the other thread sends no more, and drops lines as this one does. */
export function writeLog(log: LineWriter, batch: string): Promise<void> {
  log.write(batch);
  return log.written();
}

/** `writeOut` returns undefined for a batch that is written at once. */
function batchedLog(writeOut: (batch: string) => Promise<void> | undefined): LogWriter {
  let parts: string[] = [];
  /** Lines before those, and their length. */
  let copied: string[] = [];
  let copiedLength = 0;
  let dropped = 0;
  let writing: Promise<void> | undefined;
  /** Of the batch that is being collected. */
  let batchWritten = Promise.withResolvers<void>();

  async function drain(): Promise<void> {
    // Other lines of this event loop turn go into the same batch.
    await new Promise(setImmediate);
    while (hasLines()) {
      copy();
      const batch = copied.join('');
      copied = [];
      copiedLength = 0;
      const { resolve } = batchWritten;
      batchWritten = Promise.withResolvers();
      const later = writeOut(batch);
      if (later !== undefined) await later;
      resolve();
      if (dropped > 0) {
        const line = { time: new Date().toISOString(), level: 'error', event: 'log lines dropped', count: dropped };
        dropped = 0;
        parts.push(JSON.stringify(line), '\n');
      }
    }
    writing = undefined;
  }

  function hasLines(): boolean {
    return parts.length > 0 || copied.length > 0;
  }

  function copy(): void {
    const lines = parts.join('');
    copied.push(lines);
    copiedLength += lines.length;
    parts = [];
  }

  function collect(lines = 1): string[] | undefined {
    if (copiedLength > maxPending) {
      dropped += lines;
      return undefined;
    }
    if (parts.length > maxUncopied) copy();
    writing ??= drain();
    return parts;
  }

  return {
    collect,
    write(lines) {
      const batch = collect(lines.split('\n').length - 1);
      if (batch === undefined) return;
      batch.push(lines);
      copy();
    },
    written: async () => (hasLines() ? batchWritten.promise : writing),
    flush: () => Promise.race([writing, Bun.sleep(maxFlushMs)]),
  };
}

function ignore(): void {}
