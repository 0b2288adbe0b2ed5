/** A thread of the test of hot records: reads a few records until it is told to stop, and reports those that are older than one before. */

import type { MessagePort } from 'node:worker_threads';
import { items } from '../../../src/collections/items.ts';
import { collections } from '../../../src/collections/registry.ts';
import { everything } from '../../../src/domain/access/view.ts';
import { openOnThread } from '../../../src/storage/open.ts';
import { openTickets } from '../../../src/storage/sqlite/tickets.ts';
import { engineOptions } from '../servers/engine.ts';

declare const self: Worker;

export type Start = {
  readonly store: unknown;
  readonly port: MessagePort;
  /** By id: the highest price that any thread has seen. */
  readonly shown: SharedArrayBuffer;
  readonly stop: SharedArrayBuffer;
};
export type Report = {
  readonly mistakes: readonly string[];
  readonly reads: number;
  readonly hits: number;
  /** How often a record had another price than before. */
  readonly changes: number;
};

self.onmessage = async ({ data }: MessageEvent<Start>) => {
  const shown = new Int32Array(data.shown);
  const stopped = new Int32Array(data.stop);
  const { store, writer } = openOnThread(data.store, collections, { ...engineOptions, tickets: openTickets() });
  writer.take(data.port);
  await store.admin.ready;
  self.postMessage('ready');
  const mistakes: string[] = [];
  let reads = 0;
  let changes = 0;
  const last = new Map<number, number>();

  function check(id: number, before: number, record: Uint8Array | undefined, how: string): void {
    const { price } = JSON.parse(Buffer.from(record ?? []).toString()) as { price: number };
    // The first prices have a fraction.
    const seen = Number.isInteger(price) ? price : 0;
    reads++;
    if (seen < before && mistakes.length < 10) mistakes.push(`${how} ${id}: ${seen} after ${before}`);
    if (seen !== last.get(id)) changes++;
    last.set(id, seen);
    for (let known = before; seen > known; ) {
      const other = Atomics.compareExchange(shown, id, known, seen);
      if (other === known) break;
      known = other;
    }
  }

  while (Atomics.load(stopped, 0) === 0) {
    const id = 1 + Math.floor(Math.random() * (shown.length - 1));
    let before = Atomics.load(shown, id);
    check(id, before, await store.reads.contractRecord(everything(items), BigInt(id)), 'find');
    before = Atomics.load(shown, id);
    const record = await store.reads.one(everything(items), id);
    if (record !== undefined) check(id, before, record.bytes, 'record');
    if (reads % 50 === 0) await new Promise(setImmediate);
  }
  const { hits } = store.admin.figures().hot;
  await store.admin.close();
  self.postMessage({ mistakes, reads, hits, changes } satisfies Report);
};
