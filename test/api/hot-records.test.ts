/** Threads that keep hot records: none returns an older record than any of them has returned before. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { items } from '../../src/collections/items.ts';
import { collections } from '../../src/collections/registry.ts';
import { everybody } from '../../src/domain/store/writes.ts';
import { openEngine } from '../../src/storage/open.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { seed } from '../support/data/seed.ts';
import { withCache } from '../support/servers/engine.ts';
import type { Report, Start } from '../support/threads/hot-reader.ts';

const folder = temporaryFolder();
const readers = 3;
const hotIds = 40;
const rounds = 60;
const together = 20;

test('what one thread has returned, no thread returns an earlier state of', async () => {
  const path = join(folder, 'hot.db');
  await seed(path, 60_000);
  // Too little for all records, and enough for those that the threads read.
  const store = openEngine({ kind: 'sqlite', path }, collections, withCache(2_000_000));
  await store.admin.ready;
  const { sharing } = store.admin;
  if (sharing === undefined) throw new Error('the store cannot be shared');
  const shared = { shown: new SharedArrayBuffer(4 * (hotIds + 1)), stop: new SharedArrayBuffer(4) };
  const threads = Array.from({ length: readers }, () => {
    const thread = new Worker(new URL('../support/threads/hot-reader.ts', import.meta.url).href);
    const ready = Promise.withResolvers<void>();
    const report = Promise.withResolvers<Report>();
    thread.onmessage = ({ data }: MessageEvent<'ready' | Report>) =>
      data === 'ready' ? ready.resolve() : report.resolve(data);
    thread.onerror = ({ message }) => report.reject(new Error(message));
    sharing.connect({
      take: (port) => thread.postMessage({ store: sharing.data, port, ...shared } satisfies Start, [port]),
      lose: () => {},
    });
    return { thread, ready: ready.promise, report: report.promise };
  });
  await Promise.all(threads.map(({ ready, report }) => Promise.race([ready, report])));
  for (let round = 1; round <= rounds; round++) {
    const first = Math.floor(Math.random() * hotIds);
    const ids = Array.from({ length: together }, (_, n) => 1 + ((first + n) % hotIds));
    await Promise.all(
      ids.map((id) =>
        store.writes.commit(everybody, {
          operation: { op: 'update', collection: items, recordId: id, json: `{"price":${round}}` },
        }),
      ),
    );
  }
  Atomics.store(new Int32Array(shared.stop), 0, 1);
  const reports = await Promise.all(threads.map(({ report }) => report));
  for (const { thread } of threads) thread.terminate();
  expect(store.admin.figures().cacheBytes).toBeGreaterThan(0);
  await store.admin.close();
  expect(reports.flatMap(({ mistakes }) => mistakes)).toEqual([]);
  // They have read while the writer wrote, and mostly what they had kept.
  for (const { changes, reads, hits } of reports) {
    expect(changes).toBeGreaterThan(100);
    expect(hits).toBeGreaterThan(reads / 2);
  }
}, 60_000);
