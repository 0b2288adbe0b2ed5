/** Writes log lines in batches, so that logging adds little to a request. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Entry, Log } from '../../http/observe/log-entry.ts';
import { isoClock } from './iso-clock.ts';
import { type LogForm, linesOf } from './log-format.ts';

/** In characters. Beyond this, lines are dropped and counted: a log reader that is stuck must not fill the memory. */
const maxPending = 8 * 1024 * 1024;

/** How long an entry waits for others: formatting and writing many at once takes less time for each. */
const waitMs = 10;

/** The most entries that wait: each may keep the text of its request, which can be a hundred times as long as the line. */
const maxWaiting = 500;

const maxFlushMs = 1000;

/** What takes whole lines. */
export type LineWriter = {
  /** One line or several, with their ends. */
  write(lines: string): void;
  /** Resolves when the lines so far are written, also if more have come meanwhile. */
  written(): Promise<void>;
};

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

/** Served by the main thread. Until the batch is written the other thread sends no more, and drops lines as this one does. */
export function writeLog(log: LineWriter, batch: string): Promise<void> {
  log.write(batch);
  return log.written();
}

/** `writeOut` returns undefined for a batch that is written at once. */
function batchedLog(form: LogForm, writeOut: (batch: string) => Promise<void> | undefined): LogWriter {
  const format = linesOf(form);
  const clock = isoClock();
  /** Not formatted yet, and when they came. */
  let entries: Entry[] = [];
  let times: number[] = [];
  let timer: Timer | undefined;
  let pending: string[] = [];
  let pendingLength = 0;
  let dropped = 0;
  let writing: Promise<void> | undefined;
  /** Of the batch that is being collected. */
  let batchWritten = Promise.withResolvers<void>();

  async function drain(): Promise<void> {
    // Other lines of this turn go into the same batch.
    await undefined;
    while (pending.length > 0) {
      const batch = pending.join('');
      pending = [];
      pendingLength = 0;
      const { resolve } = batchWritten;
      batchWritten = Promise.withResolvers();
      const later = writeOut(batch);
      if (later !== undefined) await later;
      resolve();
      if (dropped > 0) {
        const line = { time: new Date().toISOString(), level: 'error', event: 'log lines dropped', count: dropped };
        dropped = 0;
        pending.push(`${JSON.stringify(line)}\n`);
      }
    }
    writing = undefined;
  }

  function add(lines: string): void {
    if (pendingLength > maxPending) {
      dropped += lines.split('\n').length - 1;
      return;
    }
    pending.push(lines);
    pendingLength += lines.length;
    writing ??= drain();
  }

  function addEntries(): void {
    clearTimeout(timer);
    timer = undefined;
    if (entries.length === 0) return;
    const lines = entries.map((entry, at) => format(entry, clock(times[at] ?? 0)));
    entries = [];
    times = [];
    // A copy, which does not refer to the texts of requests.
    add(lines.join(''));
  }

  return {
    log(entry, now = performance.now()) {
      entries.push(entry);
      times.push(now);
      if (entries.length >= maxWaiting) addEntries();
      else timer ??= setTimeout(addEntries, waitMs);
    },
    write(lines) {
      addEntries();
      add(lines);
    },
    written: async () => (pending.length > 0 ? batchWritten.promise : writing),
    flush() {
      addEntries();
      return Promise.race([writing, Bun.sleep(maxFlushMs)]);
    },
  };
}

function ignore(): void {}
