/** Writes log lines in batches, so that logging adds little to a request. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Log } from '../../http/observe/log-entry.ts';
import { isoClock } from './iso-clock.ts';
import { LineQueue, type LineWriter } from './line-queue.ts';
import { type LogForm, lineOf } from './log-format.ts';
import { requestLines } from './request-line.ts';

/** How long a line waits for others: to write many at once takes less time for each. */
const waitMs = 10;

/** Small enough to stay in the processor's cache, and longer than most lines. */
const batchBytes = 16 * 1024;

export type LogWriter = LineWriter & {
  readonly log: Log;
  write(lines: Uint8Array | string): boolean;
  /** Resolves when all lines are written, or after a second: a log reader that is stuck must not keep the process alive. */
  flush(): Promise<void>;
};

export function logWriter(form: LogForm, stream: Writable): LogWriter {
  // The server continues if the log reader goes away.
  stream.on('error', ignore);
  return batchedLog(form, (batch) => {
    const isTaken = stream.write(batch);
    // The standard output of Bun has written or copied a chunk when it is taken; another stream may refer to it. One whose reader has gone never drains.
    if (!stream.writable || (isTaken && stream.writableLength === 0)) return undefined;
    return isTaken ? Promise.resolve() : once(stream, 'drain').then(ignore, ignore);
  });
}

/**
 * The log of another thread than the main one. Threads that write to the same stream would tear each other's lines: a
 * pipe accepts a long batch in parts. So they give their batches to the main thread, one at a time.
 */
export function logOverMain(form: LogForm, main: { writeLog(batch: Uint8Array): Promise<void> }): LogWriter {
  return batchedLog(form, (batch) => main.writeLog(batch).catch(ignore));
}

/** `writeOut` returns undefined for a batch that is written at once. */
function batchedLog(form: LogForm, writeOut: (batch: Uint8Array) => Promise<void> | undefined): LogWriter {
  const writeRequest = form === 'json' ? requestLines() : undefined;
  const clock = isoClock();
  let batch = Buffer.allocUnsafe(batchBytes);
  /** Its bytes that wait. */
  let used = 0;
  let timer: Timer | undefined;
  const lines = new LineQueue(writeOut, (count, time) => ({ time, level: 'error', event: 'log lines dropped', count }));

  function writeWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    if (used === 0) return;
    const isWritten = lines.write(batch.subarray(0, used));
    if (!isWritten) batch = Buffer.allocUnsafe(batchBytes);
    used = 0;
  }

  function add(line: Buffer): void {
    if (used + line.length > batch.length) writeWaiting();
    if (line.length > batch.length) {
      lines.write(line);
    } else {
      line.copy(batch, used);
      used += line.length;
    }
  }

  return {
    log(entry, now = performance.now()) {
      const time = clock(now);
      const end = entry.event === 'request' && writeRequest !== undefined ? writeRequest(entry, time, batch, used) : -1;
      if (end < 0) add(Buffer.from(lineOf(form)(entry, time)));
      else used = end;
      timer ??= setTimeout(writeWaiting, waitMs);
    },
    write(more) {
      writeWaiting();
      return lines.write(typeof more === 'string' ? Buffer.from(more) : more);
    },
    written: () => lines.written(),
    flush() {
      writeWaiting();
      return lines.flush();
    },
  };
}

function ignore(): void {}
