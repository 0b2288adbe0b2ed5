/** Writes log lines in batches, so that logging adds little to a request. */
import type { Writable } from 'node:stream';

/** In characters. Beyond this, lines are dropped and counted: a log reader that is stuck must not fill the memory. */
const maxPending = 8 * 1024 * 1024;

/** In characters. A line refers to the text of its request, which may be a hundred times as long: a copy does not. */
const maxUncopied = 64 * 1024;

export type LogWriter = {
  /** One line or several, with their ends. */
  write(lines: string): void;
  /** Resolves when the lines so far are written, also if more have come meanwhile. */
  written(): Promise<void>;
  /** Resolves when all lines are written. */
  flush(): Promise<void>;
};

export function logWriter(stream: Writable): LogWriter {
  // The server continues if the log reader goes away.
  stream.on('error', () => {});
  return batchedLog((batch) => new Promise<void>((done) => stream.write(batch, () => done())));
}

/**
 * The log of another thread than the main one. Threads that write to the same stream would tear each other's lines: a
 * pipe accepts a long batch in parts. So they give their batches to the main thread, one at a time.
 */
export function logOverMain(main: { writeLog(batch: string): Promise<void> }): LogWriter {
  return batchedLog((batch) => main.writeLog(batch).catch(() => {}));
}

/** Served by the main thread. Until the batch is written the other thread sends no more, and drops lines as this one does. */
export function writeLog(log: LogWriter, batch: string): Promise<void> {
  log.write(batch);
  return log.written();
}

function batchedLog(writeOut: (batch: string) => Promise<void>): LogWriter {
  let pending = '';
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
    while (pending !== '' || copied.length > 0) {
      const batch = copied.length === 0 ? pending : [...copied, pending].join('');
      pending = '';
      copied = [];
      copiedLength = 0;
      const { resolve } = batchWritten;
      batchWritten = Promise.withResolvers();
      await writeOut(batch);
      resolve();
      if (dropped > 0) {
        const line = `${JSON.stringify({ time: new Date().toISOString(), level: 'error', event: 'log lines dropped', count: dropped })}\n`;
        dropped = 0;
        pending += line;
      }
    }
    writing = undefined;
  }

  return {
    write(lines) {
      if (copiedLength + pending.length > maxPending) {
        dropped += lines.split('\n').length - 1;
        return;
      }
      pending += lines;
      if (pending.length > maxUncopied) {
        copied.push(Buffer.from(pending).toString());
        copiedLength += pending.length;
        pending = '';
      }
      writing ??= drain();
    },
    written: async () => (pending !== '' || copied.length > 0 ? batchWritten.promise : writing),
    flush: async () => writing,
  };
}
