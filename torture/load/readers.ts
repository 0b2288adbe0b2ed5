/** Readers of a long list: a slow one is served to the end, and one that makes no progress is cut. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { seed } from '../../test/support/data/seed.ts';
import { startShelf } from '../../test/support/servers/process.ts';
import { sqliteArgs, type Torture } from '../support/torture.ts';

/** Longer than the server waits for a reader that makes no progress. */
const stallMs = 45_000;

/** Reads the list; `pace` returns the pause in milliseconds after a chunk of `bytes`. Resolves to the bytes received. */
function read(url: string, pace: (bytes: number) => number): Promise<number> {
  return new Promise((resolve) => {
    let received = 0;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('data', (chunk: Buffer) => {
      received += chunk.byteLength;
      const pause = pace(chunk.byteLength);
      if (pause === 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), pause);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
    socket.write('GET /api/items HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  });
}

export const readers: Torture = async (run) => {
  const { folder, full, say } = run;
  const path = join(folder, 'readers.db');
  // About as many bytes; the short run has fewer and longer records.
  await (full ? seed(path, 250_000) : seed(path, 12_000, 1000));
  const shelf = await startShelf({ args: [...sqliteArgs(path, run), '--log', 'off'] });
  const memory = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${shelf.pid}/status`).text())?.[1] ?? 0) / 1024;
  // The list has an ETag once it is in memory.
  while ((await fetch(`${shelf.url}/api/items`, { method: 'HEAD' })).headers.get('ETag') === null) await Bun.sleep(50);
  const size = (await (await fetch(`${shelf.url}/api/items`)).arrayBuffer()).byteLength;

  const bytesPerMs = full ? 100 : 350;
  let stalledOnce = false;
  const started = performance.now();
  const [slow, stalled] = await Promise.all([
    read(shelf.url, (bytes) => bytes / bytesPerMs),
    read(shelf.url, () => {
      if (stalledOnce) return 0;
      stalledOnce = true;
      return stallMs;
    }),
  ]);
  const seconds = (performance.now() - started) / 1000;
  say(`a list of ${size} bytes: the slow reader got ${slow} in ${seconds.toFixed(0)} s, the stalled one ${stalled}`);
  const complaints: string[] = [];
  if (slow < size) complaints.push(`the slow reader was cut after ${slow} of ${size} bytes`);
  if (stalled >= size) complaints.push('the stalled reader was not cut');
  if (!(await fetch(`${shelf.url}/api/items/1`)).ok) complaints.push('the server does not answer any more');
  const figures = {
    'list bytes': size,
    'slow reader KB/s': bytesPerMs,
    seconds: Math.round(seconds),
    'server MB': Math.round(await memory()),
  };
  await shelf.stop();
  return { figures, complaints };
};
