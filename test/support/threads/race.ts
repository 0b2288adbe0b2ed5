/** Runs the same steps in several threads at the same time, and returns the result of each. */
import type { Race } from './racer.ts';

export async function race(run: Race, threads = 3): Promise<number[][]> {
  const [start, gate] = [new SharedArrayBuffer(12), new SharedArrayBuffer(12)];
  const racers = Array.from({ length: threads }, () => {
    const worker = new Worker(new URL('./racer.ts', import.meta.url).href);
    const result = new Promise<number[]>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    worker.postMessage({ ...run, start, gate, threads });
    return { worker, result };
  });
  const results = await Promise.all(racers.map(({ result }) => result));
  for (const { worker } of racers) worker.terminate();
  return results;
}
