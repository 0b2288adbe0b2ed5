import { expect, test } from 'bun:test';
import { processClock } from './process-clock.ts';

const clock = new URL('./process-clock.ts', import.meta.url).href;
/** Repeats the time of the other thread, with its own. */
const source = `
  import { processClock } from '${clock}';
  const now = processClock();
  self.onmessage = () => self.postMessage(now());
  self.postMessage(0);`;

test('a thread that starts later has the same time', async () => {
  const now = processClock();
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  const next = () =>
    new Promise<number>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
  await next();
  for (let n = 0; n < 20; n++) {
    const [before, answered] = [now(), next()];
    worker.postMessage('');
    const there = await answered;
    // Less than the time in which a thread can be asked: the clocks are read at different moments.
    expect(there).toBeGreaterThanOrEqual(before - 0.5);
    expect(there).toBeLessThanOrEqual(now() + 0.5);
  }
  worker.terminate();
});
