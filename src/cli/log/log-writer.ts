/** Writes log lines in batches, so that logging adds little to a request. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Entry, Log } from '../../http/observe/log-entry.ts';
import { isoClock } from './iso-clock.ts';
import { LineQueue, type LineWriter } from './line-queue.ts';
import { type LogForm, lineOf } from './log-format.ts';
import { requestLines } from './request-line.ts';

/**
 * Entries wait for others, and are then formatted together: between two requests the kernel replaces what is in the processor's cache, so
 * a line that is made at once takes longer.
 */
const waitMs = 10;
const maxWaiting = 64;

/** Small enough to stay in the processor's cache, and long enough for `maxWaiting` usual lines. */
const batchBytes = 32 * 1024;

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
  /** The entries that wait, in the order of their moments. */
  const entries: (Entry | undefined)[] = new Array(maxWaiting).fill(undefined);
  const moments = new Float64Array(maxWaiting);
  let waiting = 0;
  let batch = Buffer.allocUnsafe(batchBytes);
  /** Bytes of the batch that are not written. */
  let used = 0;
  /** A timer runs. */
  let isTimed = false;
  const lines = new LineQueue(writeOut, (count, time) => ({ time, level: 'error', event: 'log lines dropped', count }));

  function writeWaiting(): void {
    const count = waiting;
    waiting = 0;
    for (let n = 0; n < count; n++) {
      const entry = entries[n];
      if (entry !== undefined) add(entry, clock(moments[n] ?? 0));
      entries[n] = undefined;
    }
    writeBatch();
  }

  function add(entry: Entry, time: string): void {
    if (addRequest(entry, time)) return;
    const line = Buffer.from(lineOf(form)(entry, time));
    if (used + line.length > batch.length) writeBatch();
    if (line.length > batch.length) {
      lines.write(line);
    } else {
      line.copy(batch, used);
      used += line.length;
    }
  }

  /** False if it has to be added as text. */
  function addRequest(entry: Entry, time: string): boolean {
    if (entry.event !== 'request' || writeRequest === undefined) return false;
    const end = writeRequest(entry, time, batch, used);
    if (end >= 0) used = end;
    return end >= 0;
  }

  function writeBatch(): void {
    if (used === 0) return;
    const isWritten = lines.write(batch.subarray(0, used));
    if (!isWritten) batch = Buffer.allocUnsafe(batchBytes);
    used = 0;
  }

  return {
    log(entry, now = performance.now()) {
      entries[waiting] = entry;
      moments[waiting] = now;
      waiting++;
      if (waiting === maxWaiting) writeWaiting();
      if (isTimed) return;
      isTimed = true;
      setTimeout(onTime, waitMs);
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

  function onTime(): void {
    isTimed = false;
    writeWaiting();
  }
}

function ignore(): void {}
