/** Whatever is written, memory shows the same as the file after each batch. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { create, update } from '../../../../test/support/data/writes.ts';
import { items } from '../../../collections/items.ts';
import { collection } from '../../../domain/record/collection.ts';
import { Cache } from '../cache/cache.ts';
import { identify } from '../file/watch.ts';
import { CommitProgress, Roots } from '../memory/atomics.ts';
import { MemoryReader } from '../memory/reader.ts';
import { openReader } from '../reads/reader.ts';
import { migrate } from '../schema/schema.ts';
import { connect } from '../statements/connection.ts';
import { Committer } from './committer.ts';
import type { Write } from './thread/write-message.ts';

const notes = collection('notes', { singular: 'note', fields: { text: { type: 'text' } } });
const collections = [items, notes];
const folder = temporaryFolder();
let made = 0;

function open() {
  const filename = join(folder, `${made++}.db`);
  writeFileSync(filename, '');
  const db = connect(filename);
  db.transaction(() => migrate(db, collections, filename)).immediate();
  const progress = new CommitProgress();
  const options = { filename, opened: identify(filename), unserved: [], cacheBytes: 1e9, roots: new Roots().shared };
  const committer = new Committer(connect(filename), collections, progress, options);
  const memory = new MemoryReader(committer.records.memory.shared());
  const caches = collections.map(({ contract }, place) => new Cache(memory.table(place), contract !== undefined));
  const readers = collections.map((one) => openReader(db, one));
  const close = () => {
    for (const reader of readers) reader.close();
    db.close(true);
    committer.close();
    memory.close();
  };
  return { committer, caches, readers, progress, close };
}

const text = (parts: Iterable<Uint8Array>) => Buffer.concat([...parts]).toString();
const recordId = fc.integer({ min: 1, max: 12 });
const id = fc.integer({ min: 1, max: 5 });
const place = fc.constantFrom(0, 1);
const by = fc.constantFrom(undefined, 'ann', 'bob');
const word = fc.string({ unit: 'grapheme', maxLength: 12 });
const item = fc.tuple(fc.option(id), word).map(([one, name]) => {
  const fields = `"name":${JSON.stringify(name)},"price":1}`;
  return one === null ? `{${fields}` : `{"id":${one},${fields}`;
});
const note = word.map((one) => `{"text":${JSON.stringify(one)}}`);
const record = (at: number) => (at === 0 ? item : note);
const write: fc.Arbitrary<Write> = fc.oneof(
  place.chain((at) => fc.tuple(record(at), by).map(([json, who]) => create(at, json, who))),
  place.chain((at) =>
    fc
      .tuple(record(at), by, fc.constantFrom('{', '{"id":9}', 'key'))
      .map(([json, who, key]) =>
        create(at, json, who, { key, digest: json.length.toString(), former: '-', keptMs: 1e6 }),
      ),
  ),
  fc
    .tuple(recordId, fc.option(id), word)
    .map(([one, newId, name]) =>
      update(0, one, `{${newId === null ? '' : `"id":${newId},`}"name":${JSON.stringify(name)}}`),
    ),
  fc.tuple(recordId, word).map(([one, value]) => update(1, one, `{"text":${JSON.stringify(value)}}`)),
  fc.tuple(place, recordId).map(([at, one]) => ({
    op: 'delete' as const,
    place: at,
    by: undefined,
    recordId: one,
    when: undefined,
    permitted: undefined,
  })),
  id.map((one) => ({
    op: 'delete first' as const,
    place: 0,
    by: undefined,
    contractId: BigInt(one),
    when: undefined,
    permitted: undefined,
  })),
);

test('memory equals the file after each batch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(write, { minLength: 1, maxLength: 6 }), { maxLength: 6 }), async (batches) => {
      const { committer, caches, readers, progress, close } = open();
      while (caches.some(({ count }) => count === undefined)) await new Promise(setImmediate);
      for (const writes of batches) {
        const before = progress.lastChange;
        const stored = committer.store(writes);
        // In the file, and not shown yet.
        expect([progress.commits % 2, progress.lastChange]).toEqual([1, before]);
        if ('error' in stored) throw new Error(stored.error);
        committer.show(writes, stored);
        expect([progress.commits % 2, progress.lastChange]).toEqual([0, stored.lastChange]);
        for (const [at, cache] of caches.entries()) {
          const list = cache.list()?.parts('') as Iterable<Uint8Array> | undefined;
          expect(text(list ?? [])).toBe(text(readers[at]?.parts() ?? []));
          for (let one = 1n; one <= 12n; one++) {
            const found = cache.find(one);
            if (at === 0) expect(found).toEqual(readers[0]?.find(one) ?? 'missing');
          }
        }
      }
      close();
    }),
    { numRuns: 30 },
  );
});

test('a commit that memory cannot have ends the thread: nothing more is made of memory that is half changed', async () => {
  const { committer, caches, readers, progress, close } = open();
  while (caches.some(({ count }) => count === undefined)) await new Promise(setImmediate);
  const shown = caches[0]?.count;
  const [table] = committer.records.memory.tables;
  if (table === undefined) throw new Error('no table');
  table.own.allocator.allocate = () => {
    throw new RangeError('Out of memory');
  };
  const add = () =>
    committer.commit(Array.from({ length: 200 }, () => create(0, '{"name":"new","price":1}', undefined)));
  expect(add).toThrow('Out of memory');
  // The file has it; readers of memory still see the commit before, and are told to wait.
  expect([caches[0]?.count, progress.commits % 2]).toEqual([shown, 1]);
  expect(JSON.parse(text(readers[0]?.parts() ?? [])).length).toBe((shown ?? 0) + 200);
  close();
});
