/** Starts the thread of the writers. */
import type { Order } from './writers-thread.ts';

/** Resolves to the complaints, when all writes are answered or the writers are stopped. */
export async function runWriters(order: Order): Promise<readonly string[]> {
  const thread = new Worker(new URL('./writers-thread.ts', import.meta.url));
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  thread.onmessage = ({ data }: MessageEvent<readonly string[]>) => resolve(data);
  thread.onerror = ({ message }) => reject(new Error(`the writers have ended: ${message}`));
  thread.postMessage(order);
  return promise.finally(() => thread.terminate());
}
