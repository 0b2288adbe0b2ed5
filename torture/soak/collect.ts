/**
 * Loaded into every thread of the server before its own code: collects all garbage from time to time, and appends the size of the
 * objects that are left to a file.
 */

import { heapStats } from 'bun:jsc';
import { appendFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { collectEveryMs, collectInto } from './live-memory.ts';

const Plain = globalThis.Worker;
/** Bun loads it only into the first thread by itself. */
class CollectingWorker extends Plain {
  constructor(url: string | URL, options: WorkerOptions = {}) {
    super(url, { ...options, preload: [import.meta.path] });
  }
}
globalThis.Worker = CollectingWorker;

const file = process.env[collectInto] ?? '';
setInterval(() => {
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  appendFileSync(file, `${threadId} ${heapSize - extraMemorySize}\n`);
}, Number(process.env[collectEveryMs])).unref();
