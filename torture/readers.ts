/** Readers of a long list: one that takes a little at a time is served to the end, one that takes nothing is cut. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { startShelf } from '../test/process.ts';
import { seed } from '../test/seed.ts';
import type { Torture } from './torture.ts';

/** Longer than the server bears a reader that makes no progress. */
const stallMs = 45_000;

/** Asks for the list and takes it as `pace` says: how long to wait after so many bytes. Answers all it got. */
function read(url: string, pace: (taken: number) => number): Promise<number> {
  return new Promise((resolve) => {
    let taken = 0;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('data', (chunk: Buffer) => {
      taken += chunk.byteLength;
      const pause = pace(chunk.byteLength);
      if (pause === 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), pause);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(taken));
    socket.write('GET /api/items HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  });
}

export const readers: Torture = async ({ folder, full, say }) => {
  const path = join(folder, 'readers.db');
  await seed(path, 250_000);
  const shelf = await startShelf({ args: ['--database', `sqlite:${path}`, '--log', 'off'] });
  const memory = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${shelf.pid}/status`).text())?.[1] ?? 0) / 1024;
  // Once it is in memory the list has a tag.
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
  if (stalled >= size) complaints.push('the reader that took nothing was not cut');
  if (!(await fetch(`${shelf.url}/api/items/1`)).ok) complaints.push('it does not answer any more');
  const figures = {
    'list bytes': size,
    'slow reader KB/s': bytesPerMs,
    seconds: Math.round(seconds),
    'server MB': Math.round(await memory()),
  };
  await shelf.stop();
  return { figures, complaints };
};
