/** Writes log lines in batches, so that logging adds little to a request. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Entry, Log } from '../../http/observe/log-entry.ts';
import { isoClock } from './iso-clock.ts';
import { LineQueue, type LineWriter } from './line-queue.ts';
import { type LogForm, linesOf } from './log-format.ts';

/** How long an entry waits for others: formatting and writing many at once takes less time for each. */
const waitMs = 10;

/** The most entries that wait: each may keep the text of its request, which can be a hundred times as long as the line. */
const maxWaiting = 500;

export type LogWriter = LineWriter & {
  readonly log: Log;
  /** Resolves when all lines are written, or after a second: a log reader that is stuck must not keep the process alive. */
  flush(): Promise<void>;
};

export function logWriter(form: LogForm, stream: Writable): LogWriter {
  // The server continues if the log reader goes away.
  stream.on('error', ignore);
  // A callback for each batch would take longer than to write it. A stream whose reader has gone never drains.
  return batchedLog(form, (batch) =>
    stream.write(batch) || !stream.writable ? undefined : once(stream, 'drain').then(ignore, ignore),
  );
}

/**
 * The log of another thread than the main one. Threads that write to the same stream would tear each other's lines: a
 * pipe accepts a long batch in parts. So they give their batches to the main thread, one at a time.
 */
export function logOverMain(form: LogForm, main: { writeLog(batch: string): Promise<void> }): LogWriter {
  return batchedLog(form, (batch) => main.writeLog(batch).catch(ignore));
}

/** `writeOut` returns undefined for a batch that is written at once. */
function batchedLog(form: LogForm, writeOut: (batch: string) => Promise<void> | undefined): LogWriter {
  const format = linesOf(form);
  const clock = isoClock();
  /** Not formatted yet, and when they came. */
  let entries: Entry[] = [];
  let times: number[] = [];
  let timer: Timer | undefined;
  const lines = new LineQueue(writeOut, (count, time) => ({ time, level: 'error', event: 'log lines dropped', count }));

  function addEntries(): void {
    clearTimeout(timer);
    timer = undefined;
    if (entries.length === 0) return;
    const formatted = entries.map((entry, at) => format(entry, clock(times[at] ?? 0)));
    entries = [];
    times = [];
    // A copy, which does not refer to the texts of requests.
    lines.write(formatted.join(''));
  }

  return {
    log(entry, now = performance.now()) {
      entries.push(entry);
      times.push(now);
      if (entries.length >= maxWaiting) addEntries();
      else timer ??= setTimeout(addEntries, waitMs);
    },
    write(more) {
      addEntries();
      lines.write(more);
    },
    written: () => lines.written(),
    flush() {
      addEntries();
      return lines.flush();
    },
  };
}

function ignore(): void {}
