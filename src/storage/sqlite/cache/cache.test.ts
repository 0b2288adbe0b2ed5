/** The records in memory while batches are committed and applied, and while it fills. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Memory } from '../memory/memory.ts';
import { MemoryReader } from '../memory/reader.ts';
import type { Read } from '../reads/reader.ts';
import { type Budget, CollectionInMemory } from '../writer/memory/collection-in-memory.ts';
import type { Source } from '../writer/memory/too-large.ts';
import { Cache } from './cache.ts';

/** A collection in memory: its table, and how a serving thread reads it. */
function open(after: Source['after'], memory = new Memory(1), place = 0, budget: Budget = { limit: 1e9, used: 0 }) {
  const source = { after, last: () => 0 };
  const cache = new Cache(new MemoryReader(memory.shared()).table(place), true);
  return { table: new CollectionInMemory(source, memory, place, budget), cache, memory };
}
const json = (id: bigint, seq: number, version: number) => `{"id":${id},"seq":${seq},"version":${version}}`;

/** A model of the database. Each change returns the function that applies it to a cache. */
class Model {
  rows: Read[] = [];
  #last = 0;
  #version = 0;

  add(id: bigint): (table: CollectionInMemory) => void {
    const seq = ++this.#last;
    const row = { seq, version: 1, created: seq, updated: seq, id, json: json(id, seq, 0) };
    this.rows = [...this.rows, row];
    return (table) => table.appended(row, id, row.json);
  }

  bulk(id: bigint): (table: CollectionInMemory) => void {
    for (let n = 0; n < 12; n++) this.add(id);
    return (table) => table.outgrown();
  }

  remove(id: bigint): (table: CollectionInMemory) => void {
    const gone = this.rows.find((row) => row.id === id);
    if (gone === undefined) return () => {};
    this.rows = this.rows.filter((row) => row !== gone);
    const next = this.#first(id);
    return (table) => table.removed(gone.seq, id, next);
  }

  rename(oldId: bigint, id: bigint): (table: CollectionInMemory) => void {
    const old = this.rows.find((row) => row.id === oldId);
    if (old === undefined) return () => {};
    const version = ++this.#version;
    const row = { ...old, version, updated: version + 1000, id, json: json(id, old.seq, version) };
    this.rows = this.rows.map((one) => (one === old ? row : one));
    const next = this.#first(oldId);
    return (table) => {
      table.replaced(old.seq, version, row.updated, row.json);
      if (id !== oldId) table.renamed(old.seq, oldId, id, next);
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

test('memory always equals the database after the last applied batch', async () => {
  const batches = fc.array(fc.array(anyChange, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 25 }), batches, async (stored, changes) => {
      const model = new Model();
      for (let n = 0; n < stored; n++) model.add(BigInt(n % 6));
      const after = (seq: number, limit: number) => model.rows.filter((row) => row.seq > seq).slice(0, limit);
      const { table, cache, memory } = open(after);
      let applied = model.rows;
      const compare = () => {
        const listing = cache.list();
        if (listing === undefined) return;
        const list = Buffer.concat([...(listing.parts('') as IterableIterator<Uint8Array>)]).toString();
        expect(list).toBe(`[${applied.map((row) => row.json).join()}]`);
        for (let id = 0n; id <= 5n; id++) {
          const found = cache.find(id);
          const expected = applied.find((row) => row.id === id)?.json ?? 'missing';
          expect(Buffer.from(found ?? '').toString()).toBe(expected);
        }
      };
      const production = ({ seq, version, created, updated, json: stored }: Read) =>
        `{"id":${seq},"external_id":${stored.slice(6, -1)},"version":${version},"created_at":"${new Date(created).toISOString()}","updated_at":"${new Date(updated).toISOString()}"}`;
      const compareProduction = () => {
        if (cache.count === undefined) return;
        const text = (bytes: Uint8Array | undefined) =>
          bytes === undefined ? undefined : Buffer.from(bytes).toString();
        const seqs = applied.map(({ seq }) => seq);
        for (const row of applied) {
          const found = cache.record(row.seq);
          expect(typeof found === 'object' ? text(found.bytes) : found).toBe(production(row));
        }
        expect(text(cache.recordsOf(seqs.toReversed(), 1e6)?.bytes)).toBe(applied.toReversed().map(production).join());
        const [first, ...rest] = applied;
        const page = cache.recordsFrom(first?.seq ?? 0, false, 3, 1e6);
        expect({ ...page, bytes: text(page?.bytes) }).toEqual({
          bytes: rest.slice(0, 3).map(production).join(),
          count: Math.min(rest.length, 3),
          lastSeq: rest.slice(0, 3).at(-1)?.seq ?? 0,
          more: rest.length > 3,
        });
      };
      table.fill();
      for (const batch of changes) {
        await new Promise(setImmediate);
        compare();
        compareProduction();
        // The commit and its application are one step of the writing thread, so no fill is between them.
        const applications = batch.map(({ kind, id, other }) =>
          kind === 'rename' ? model.rename(id, other) : model[kind](id),
        );
        compare();
        for (const apply of applications) apply(table);
        memory.publish();
        applied = model.rows;
        compare();
        compareProduction();
      }
      while (cache.count === undefined) await new Promise(setImmediate);
      compare();
    }),
    { numRuns: 1000 },
  );
});

test('a collection fills once, also if it is outgrown as soon as it is ready', async () => {
  const model = new Model();
  model.add(1n);
  const after = (seq: number, limit: number) => model.rows.filter((row) => row.seq > seq).slice(0, limit);
  const { table, cache, memory } = open(after);
  table.fill();
  expect(cache.count).toBe(1);
  // More records than one turn reads.
  for (let n = 0; n < 5; n++) model.bulk(2n)(table);
  memory.publish();
  expect(cache.count).toBeUndefined();
  while (cache.count === undefined) await new Promise(setImmediate);
  expect(cache.count).toBe(model.rows.length);
});

test('removing a record from a small collection does not make readers use the file', async () => {
  const model = new Model();
  for (let n = 0; n < 5; n++) model.add(BigInt(n));
  const after = (seq: number, limit: number) => model.rows.filter((row) => row.seq > seq).slice(0, limit);
  const { table, cache, memory } = open(after);
  await table.fill();
  model.remove(3n)(table);
  memory.publish();
  expect(cache.count).toBe(4);
});

test.each(['has become too large', 'cannot be read any more'])(
  'a collection that %s gives its memory back',
  async (why) => {
    const budget = { limit: 1_000_000, used: 0 };
    const row = (seq: number) => ({ seq, version: 1, created: 0, updated: 0, id: BigInt(seq), json: json(1n, seq, 0) });
    let isLater = false;
    const source: Source = {
      last: () => (isLater ? 1e9 : 20),
      after(seq, limit) {
        if (isLater && why === 'cannot be read any more') throw new Error('no such table');
        return isLater ? [row(seq + 1)] : Array.from({ length: Math.min(limit, 20 - seq) }, (_, n) => row(seq + n + 1));
      },
    };
    const memory = new Memory(1);
    const table = new CollectionInMemory(source, memory, 0, budget);
    await table.fill();
    expect([memory.tables[0]?.count, budget.used > 0]).toEqual([20, true]);
    isLater = true;
    table.outgrown();
    while (!table.isOff) await new Promise(setImmediate);
    expect([budget.used, memory.tables[0]?.memory]).toEqual([0, 0]);
  },
);

test('a collection that outgrows the budget gives all of it back to the others', async () => {
  const budget = { limit: 80_000, used: 0 };
  const memory = new Memory(2);
  const rows = Array.from({ length: 4 }, (_, n) => {
    const meta = { seq: n + 1, version: 1, created: 0, updated: 0 };
    return { ...meta, id: BigInt(n), json: json(BigInt(n), n + 1, 0) };
  });
  const openAt = (place: number, some: readonly Read[]) =>
    open((seq) => some.filter((row) => row.seq > seq), memory, place, budget);
  const small = openAt(0, rows);
  await small.table.fill();
  const used = budget.used;
  expect(used).toBeGreaterThan(0);
  const large = openAt(
    1,
    rows.map((row) => ({ ...row, json: `"${'x'.repeat(20_000)}"` })),
  );
  await large.table.fill();
  expect([small.cache.count, large.cache.count, budget.used]).toEqual([4, undefined, used]);
});
