/** Writes log lines to a stream in batches, so that logging adds little to a request. */
import type { Writable } from 'node:stream';

/** In characters. Beyond this, lines are dropped and counted: a log reader that is stuck must not fill the memory. */
const maxPending = 8 * 1024 * 1024;

export type LogWriter = { write(line: string): void; flush(): Promise<void> };

export function logWriter(stream: Writable): LogWriter {
  let pending: string[] = [];
  let size = 0;
  let dropped = 0;
  let writing: Promise<void> | undefined;
  // The server continues if the log reader goes away.
  stream.on('error', () => {});

  function writeOut(): Promise<void> {
    const batch = pending.join('');
    pending = [];
    size = 0;
    return new Promise((done) => {
      stream.write(batch, () => done());
    });
  }

  async function drain(): Promise<void> {
    // Other lines of this event loop turn go into the same batch.
    await new Promise(setImmediate);
    while (pending.length > 0) {
      await writeOut();
      if (dropped > 0) {
        const line = `${JSON.stringify({ time: new Date().toISOString(), level: 'error', event: 'log lines dropped', count: dropped })}\n`;
        dropped = 0;
        pending.push(line);
      }
    }
    writing = undefined;
  }

  return {
    write(line) {
      if (size > maxPending) {
        dropped++;
        return;
      }
      pending.push(line);
      size += line.length;
      writing ??= drain();
    },
    flush: async () => writing,
  };
}
