/** A thread of the test of hot records: reads and keeps records as fast as it can, among others that do the same, and reports what is wrong. */
import type { EncodedRecord } from '../../../domain/store.ts';
import { HotRecords, type SharedHotRecords } from './hot-records.ts';
import { seqKey } from './stamps.ts';

declare const self: Worker;

export type Racer = {
  readonly hot: SharedHotRecords;
  /** Counts the threads that are ready. */
  readonly gate: SharedArrayBuffer;
  readonly threads: number;
  /** The number of this thread. */
  readonly own: number;
};
export type Result = { readonly mistakes: readonly string[]; readonly ofOthers: number };

const steps = 500_000;
const keys = 1500;
const stamps = 4;

self.onmessage = ({ data: { hot: shared, gate, threads, own } }: MessageEvent<Racer>) => {
  const hot = new HotRecords(shared);
  /** As on a thread that has not followed a change yet. */
  const fewer = new HotRecords({ ...shared, shards: shared.shards.slice(0, -1) });
  const ready = new Int32Array(gate);
  Atomics.add(ready, 0, 1);
  Atomics.notify(ready, 0);
  for (let count = Atomics.load(ready, 0); count < threads; count = Atomics.load(ready, 0))
    Atomics.wait(ready, 0, count);
  const mistakes: string[] = [];
  let ofOthers = 0;
  for (let step = 0; step < steps; step++) {
    const n = Math.floor(Math.random() * keys);
    const stamp = Math.floor(Math.random() * stamps);
    const through = step % 8 === 0 ? fewer : hot;
    const found = through.get(seqKey(0, n), stamp);
    if (found === undefined) {
      through.keep(seqKey(0, n), stamp, recordOf(n, stamp, own));
      continue;
    }
    const by = found.version % threads;
    if (by !== own) ofOthers++;
    if (!Bun.deepEquals(found, recordOf(n, stamp, by)) && mistakes.length < 10)
      mistakes.push(`record ${n} with the stamp ${stamp}: ${found.version}, ${Buffer.from(found.bytes).toString()}`);
  }
  self.postMessage({ mistakes, ofOthers } satisfies Result);
};

/** Every byte of a record is known. The version says by which thread it was kept. */
export function recordOf(n: number, stamp: number, by: number): EncodedRecord {
  const text = `${n}/${stamp}/${by}:${String.fromCharCode(0xe0 + ((n + stamp + by) % 26)).repeat((n * 31 + stamp * 17 + by * 7) % 400)}`;
  return { bytes: new TextEncoder().encode(text), version: n * 4 + by };
}
