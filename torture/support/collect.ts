/**
 * Loaded into every thread of the server before its own code: collects all garbage when the torture asks for it, and appends the size of the
 * objects that are left to a file.
 */

import { heapStats } from 'bun:jsc';
import { appendFileSync, readFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { askedIn, liveIn } from './collecting-server.ts';

const Plain = globalThis.Worker;
/** Bun loads it only into the first thread by itself. */
class CollectingWorker extends Plain {
  constructor(url: string | URL, options: WorkerOptions = {}) {
    super(url, { ...options, preload: [import.meta.path] });
  }
}
globalThis.Worker = CollectingWorker;

const lookEveryMs = 100;
const { [askedIn]: asking = '', [liveIn]: live = '' } = process.env;
let answered = '';
setInterval(() => {
  const asked = readFileSync(asking, 'utf8');
  if (asked === answered) return;
  answered = asked;
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  appendFileSync(live, `${threadId} ${heapSize - extraMemorySize}\n`);
}, lookEveryMs).unref();
