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
const json = (id: bigint, recordId: number, version: number) => `{"id":${id},"seq":${recordId},"version":${version}}`;

/** A model of the database. Each change returns the function that applies it to a cache. */
class Model {
  rows: Read[] = [];
  #last = 0;
  #version = 0;

  add(id: bigint): (table: CollectionInMemory) => void {
    const recordId = ++this.#last;
    const row = {
      recordId,
      version: 1,
      created: recordId,
      updated: recordId,
      contractId: id,
      json: json(id, recordId, 0),
    };
    this.rows = [...this.rows, row];
    return (table) => table.appended(row, id, row.json);
  }

  bulk(id: bigint): (table: CollectionInMemory) => void {
    for (let n = 0; n < 12; n++) this.add(id);
    return (table) => table.outgrown();
  }

  remove(id: bigint): (table: CollectionInMemory) => void {
    const gone = this.rows.find((row) => row.contractId === id);
    if (gone === undefined) return () => {};
    this.rows = this.rows.filter((row) => row !== gone);
    const next = this.#first(id);
    return (table) => table.removed(gone.recordId, id, next);
  }

  rename(oldId: bigint, id: bigint): (table: CollectionInMemory) => void {
    const old = this.rows.find((row) => row.contractId === oldId);
    if (old === undefined) return () => {};
    const version = ++this.#version;
    const row = { ...old, version, updated: version + 1000, contractId: id, json: json(id, old.recordId, version) };
    this.rows = this.rows.map((one) => (one === old ? row : one));
    const next = this.#first(oldId);
    return (table) => {
      table.replaced(old.recordId, version, row.updated, row.json);
      if (id !== oldId) table.renamed(old.recordId, oldId, id, next);
    };
  }

  #first(id: bigint): number {
    return this.rows.find((row) => row.contractId === id)?.recordId ?? 0;
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
      const after = (recordId: number, limit: number) =>
        model.rows.filter((row) => row.recordId > recordId).slice(0, limit);
      const { table, cache, memory } = open(after);
      let applied = model.rows;
      const compare = () => {
        const listing = cache.list();
        if (listing === undefined) return;
        const list = Buffer.concat([...(listing.parts('') as IterableIterator<Uint8Array>)]).toString();
        expect(list).toBe(`[${applied.map((row) => row.json).join()}]`);
        for (let id = 0n; id <= 5n; id++) {
          const found = cache.find(id);
          const expected = applied.find((row) => row.contractId === id)?.json ?? 'missing';
          expect(Buffer.from(found ?? '').toString()).toBe(expected);
        }
      };
      const production = ({ recordId, version, created, updated, json: stored }: Read) =>
        `{"id":${recordId},"external_id":${stored.slice(6, -1)},"version":${version},"created_at":"${new Date(created).toISOString()}","updated_at":"${new Date(updated).toISOString()}"}`;
      const compareProduction = () => {
        if (cache.count === undefined) return;
        const text = (bytes: Uint8Array | undefined) =>
          bytes === undefined ? undefined : Buffer.from(bytes).toString();
        const recordIds = applied.map(({ recordId }) => recordId);
        for (const row of applied) {
          const found = cache.record(row.recordId);
          expect(typeof found === 'object' ? text(found.bytes) : found).toBe(production(row));
        }
        expect(text(cache.recordsOf(recordIds.toReversed(), 1e6)?.bytes)).toBe(
          applied.toReversed().map(production).join(),
        );
        const [first, ...rest] = applied;
        const page = cache.recordsFrom(first?.recordId ?? 0, false, 3, 1e6);
        expect({ ...page, bytes: text(page?.bytes) }).toEqual({
          bytes: rest.slice(0, 3).map(production).join(),
          count: Math.min(rest.length, 3),
          lastRecordId: rest.slice(0, 3).at(-1)?.recordId ?? 0,
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
  const after = (recordId: number, limit: number) =>
    model.rows.filter((row) => row.recordId > recordId).slice(0, limit);
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
  const after = (recordId: number, limit: number) =>
    model.rows.filter((row) => row.recordId > recordId).slice(0, limit);
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
    const row = (recordId: number) => ({
      recordId,
      version: 1,
      created: 0,
      updated: 0,
      contractId: BigInt(recordId),
      json: json(1n, recordId, 0),
    });
    let isLater = false;
    const source: Source = {
      last: () => (isLater ? 1e9 : 20),
      after(recordId, limit) {
        if (isLater && why === 'cannot be read any more') throw new Error('no such table');
        return isLater
          ? [row(recordId + 1)]
          : Array.from({ length: Math.min(limit, 20 - recordId) }, (_, n) => row(recordId + n + 1));
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
    const meta = { recordId: n + 1, version: 1, created: 0, updated: 0 };
    return { ...meta, contractId: BigInt(n), json: json(BigInt(n), n + 1, 0) };
  });
  const openAt = (place: number, some: readonly Read[]) =>
    open((recordId) => some.filter((row) => row.recordId > recordId), memory, place, budget);
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
