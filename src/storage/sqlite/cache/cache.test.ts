/** The contents of a cache while batches are committed and applied, and while it fills. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Memory } from '../memory/memory.ts';
import type { Read } from '../reads/reader.ts';
import { Cache, type Source } from './cache.ts';

/** A cache with enough memory. */
const newCache = (source: Source) => new Cache(source, new Memory(1), 0, { limit: 1e9, used: 0 }, 'run', true);
const json = (id: bigint, seq: number, version: number) => `{"id":${id},"seq":${seq},"version":${version}}`;

/** A model of the database. Each change returns the function that applies it to a cache. */
class Model {
  rows: Read[] = [];
  #last = 0;
  #version = 0;

  add(id: bigint): (cache: Cache) => void {
    const seq = ++this.#last;
    const row = { seq, version: 1, created: seq, updated: seq, id, json: json(id, seq, 0) };
    this.rows = [...this.rows, row];
    return (cache) => cache.appended(row, id, row.json);
  }

  bulk(id: bigint): (cache: Cache) => void {
    for (let n = 0; n < 12; n++) this.add(id);
    return (cache) => cache.outgrown();
  }

  remove(id: bigint): (cache: Cache) => void {
    const gone = this.rows.find((row) => row.id === id);
    if (gone === undefined) return () => {};
    this.rows = this.rows.filter((row) => row !== gone);
    const next = this.#first(id);
    return (cache) => cache.removed(gone.seq, id, next);
  }

  rename(oldId: bigint, id: bigint): (cache: Cache) => void {
    const old = this.rows.find((row) => row.id === oldId);
    if (old === undefined) return () => {};
    const version = ++this.#version;
    const row = { ...old, version, updated: version + 1000, id, json: json(id, old.seq, version) };
    this.rows = this.rows.map((one) => (one === old ? row : one));
    const next = this.#first(oldId);
    return (cache) => {
      cache.replaced(old.seq, version, row.updated, row.json);
      if (id !== oldId) cache.renamed(old.seq, oldId, id, next);
    };
  }

  #first(id: bigint): number {
    return this.rows.find((row) => row.id === id)?.seq ?? 0;
  }
}

const anyId = fc.bigInt({ min: 0n, max: 5n });
const anyChange = fc.record({
  kind: fc.constantFrom('add', 'remove', 'rename', 'bulk'),
  id: anyId,
  other: anyId,
});

test('a cache always equals the database after the last applied batch', async () => {
  const batches = fc.array(fc.array(anyChange, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 25 }), batches, async (stored, changes) => {
      const model = new Model();
      for (let n = 0; n < stored; n++) model.add(BigInt(n % 6));
      // Set between the commit of a batch and its application: the database is ahead, and reads of it wait.
      let pending: PromiseWithResolvers<void> | undefined;
      const source = {
        after(seq: number, limit: number) {
          const rows = model.rows.filter((row) => row.seq > seq).slice(0, limit);
          return pending === undefined ? rows : pending.promise.then(() => rows);
        },
      };
      const cache = newCache(source);
      let applied = model.rows;
      const compare = () => {
        if (!cache.ready) return;
        const list = Buffer.concat([...(cache.list().parts('') as IterableIterator<Uint8Array>)]).toString();
        expect(list).toBe(`[${applied.map((row) => row.json).join()}]`);
        for (let id = 0n; id <= 5n; id++) {
          const found = cache.find(id);
          const expected = applied.find((row) => row.id === id)?.json;
          expect(found === undefined ? undefined : Buffer.from(found).toString()).toBe(expected);
        }
      };
      const production = ({ seq, version, created, updated, json: stored }: Read) =>
        `{"id":${seq},"external_id":${stored.slice(6, -1)},"version":${version},"created_at":"${new Date(created).toISOString()}","updated_at":"${new Date(updated).toISOString()}"}`;
      const compareProduction = () => {
        if (!cache.ready) return;
        const text = (bytes: Uint8Array | undefined) =>
          bytes === undefined ? undefined : Buffer.from(bytes).toString();
        const seqs = applied.map(({ seq }) => seq);
        for (const row of applied) expect(text(cache.record(row.seq)?.bytes)).toBe(production(row));
        expect(text(cache.recordsOf(seqs.toReversed(), 1e6).bytes)).toBe(applied.toReversed().map(production).join());
        const [first, ...rest] = applied;
        const page = cache.recordsFrom(first?.seq ?? 0, false, 3, 1e6);
        expect({ ...page, bytes: text(page.bytes) }).toEqual({
          bytes: rest.slice(0, 3).map(production).join(),
          count: Math.min(rest.length, 3),
          lastSeq: rest.slice(0, 3).at(-1)?.seq ?? 0,
          more: rest.length > 3,
        });
      };
      cache.fill();
      for (const batch of changes) {
        pending = Promise.withResolvers();
        const applications = batch.map(({ kind, id, other }) =>
          kind === 'rename' ? model.rename(id, other) : model[kind](id),
        );
        await new Promise(setImmediate);
        compare();
        compareProduction();
        for (const apply of applications) apply(cache);
        cache.memory.publish();
        applied = model.rows;
        const { resolve } = pending;
        pending = undefined;
        resolve();
        await new Promise(setImmediate);
        compare();
        compareProduction();
      }
      while (!cache.ready) await new Promise(setImmediate);
      compare();
    }),
    { numRuns: 1000 },
  );
});

test('a cache fills once, also if it is outgrown as soon as it is ready', async () => {
  const model = new Model();
  model.add(1n);
  let pending: PromiseWithResolvers<void> | undefined;
  const source = {
    after(seq: number, limit: number) {
      const rows = model.rows.filter((row) => row.seq > seq).slice(0, limit);
      return pending === undefined ? rows : pending.promise.then(() => rows);
    },
  };
  const cache = newCache(source);
  cache.fill();
  expect(cache.ready).toBe(true);
  // More records than one turn reads.
  for (let n = 0; n < 5; n++) model.bulk(2n)(cache);
  pending = Promise.withResolvers();
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  pending.resolve();
  pending = undefined;
  while (!cache.ready) await new Promise(setImmediate);
  expect(cache.count).toBe(model.rows.length);
});

test('removing a record from a small collection does not make readers use the file', async () => {
  const model = new Model();
  for (let n = 0; n < 5; n++) model.add(BigInt(n));
  const cache = newCache({ after: (seq, limit) => model.rows.filter((row) => row.seq > seq).slice(0, limit) });
  await cache.fill();
  model.remove(3n)(cache);
  cache.memory.publish();
  expect(cache.ready).toBe(true);
  expect(cache.count).toBe(4);
});

test('a cache that outgrows the budget gives all of it back to the others', async () => {
  const budget = { limit: 80_000, used: 0 };
  const memory = new Memory(2);
  const rows = Array.from({ length: 4 }, (_, n) => {
    const meta = { seq: n + 1, version: 1, created: 0, updated: 0 };
    return { ...meta, id: BigInt(n), json: json(BigInt(n), n + 1, 0) };
  });
  const cacheOf = (place: number, some: readonly Read[]) =>
    new Cache({ after: (seq) => some.filter((row) => row.seq > seq) }, memory, place, budget, 'run', true);
  const small = cacheOf(0, rows);
  await small.fill();
  const used = budget.used;
  expect(used).toBeGreaterThan(0);
  const large = cacheOf(
    1,
    rows.map((row) => ({ ...row, json: `"${'x'.repeat(20_000)}"` })),
  );
  await large.fill();
  expect([small.ready, large.ready, budget.used]).toEqual([true, false, used]);
});
