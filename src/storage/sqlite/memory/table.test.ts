import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { state } from './header.ts';
import { listPieces } from './list-pieces.ts';
import { Memory } from './memory.ts';
import type { MemoryTable } from './memory-table.ts';
import { MemoryReader } from './reader.ts';
import type { Kept, Snapshot } from './snapshot.ts';

const decoder = new TextDecoder();
const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : decoder.decode(bytes));

/** The JSON of a record. */
const jsonOf = (kept: Kept | undefined) =>
  kept === undefined ? undefined : kept.source.toString('utf8', kept.start, kept.start + kept.length);
const meta = (recordId: number) => ({ recordId, version: 1, created: 0, updated: 0 });
/** One table whose changes are published at once. */
function newRecords() {
  const memory = new Memory(1);
  const [table] = memory.tables;
  if (table === undefined) throw new Error('no table');
  const published = (change: (table: MemoryTable) => void) => {
    change(table);
    memory.publish();
  };
  published((one) => {
    one.state = state.ready;
  });
  const reader = new MemoryReader(memory.shared()).table(0);
  /** As another thread sees the table. */
  const read = <Result>(read: (table: Snapshot) => Result) => {
    let result: { readonly of: Result } | undefined;
    reader.read((seen) => {
      result = { of: read(seen) };
    });
    if (result === undefined) throw new Error('not in memory');
    return result.of;
  };
  const parts = () =>
    listPieces(
      reader,
      read((seen) => seen.tag),
    ) ?? [];
  return {
    memory: () => table.memory,
    append: (...given: Parameters<MemoryTable['append']>) => published((one) => one.append(...given)),
    remove: (...given: Parameters<MemoryTable['remove']>) => published((one) => one.remove(...given)),
    rename: (...given: Parameters<MemoryTable['rename']>) => published((one) => one.rename(...given)),
    replace: (...given: Parameters<MemoryTable['replace']>) => published((one) => one.replace(...given)),
    clear: () => published((one) => one.clear()),
    find: (id: bigint) => read((seen) => seen.find(id)),
    recordIdsOf: (id: bigint) => read((seen) => seen.recordIdsOf(id)),
    get: (recordId: number) => read((seen) => seen.get(recordId)),
    from: (recordId: number, descending: boolean) => read((seen) => [...seen.from(recordId, descending)]),
    read,
    parts,
    list: () => text(Buffer.concat([...parts()])),
    listSize: () => read((seen) => seen.listSize),
    count: () => read((seen) => seen.count),
    lastRecordId: () => table.lastRecordId,
    isWasteful: () => table.isWasteful,
  };
}
const json = (id: bigint, name: string) => `{"id":${id},"name":${JSON.stringify(name)}}`;

test('an empty collection is an empty list', () => {
  const records = newRecords();
  expect(records.list()).toBe('[]');
  expect(records.listSize()).toBe(2);
  expect(records.find(1n)).toBeUndefined();
});

type Model = { recordId: number; id: bigint; json: string }[];
const anyId = fc.oneof(
  fc.bigInt({ min: 0n, max: 12n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 0n, max: 9n }).map((n) => n << 32n),
);
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      id: anyId,
      name: fc.string({ unit: 'binary', maxLength: 40 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('add' as const), id: anyId, name: fc.constant('é'.repeat(100_000)) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), id: anyId, name: fc.constantFrom('first', 'last') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      id: anyId,
      name: fc.constantFrom('0', '5', '12', String(-(2n ** 63n))),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look' as const), id: anyId, name: fc.constant('') }) },
);

test('the records equal a plain list, and a snapshot of the list does not change', () => {
  const property = fc.property(fc.array(anyStep, { maxLength: 80 }), (steps) => {
    const records = newRecords();
    const model: Model = [];
    const taken: { parts: Iterable<Uint8Array>; expected: string }[] = [];
    const expected = () => `[${model.map((row) => row.json).join(',')}]`;
    let recordId = 0;
    for (const { kind, id, name } of steps) {
      if (kind === 'add') {
        recordId += 1 + (name.length % 3);
        model.push({ recordId, id, json: json(id, name) });
        records.append(meta(recordId), id, json(id, name));
        expect(records.lastRecordId()).toBe(recordId);
      } else if (kind === 'remove') {
        const same = (row: Model[number]) => row.id === id;
        const at = name === 'first' ? model.findIndex(same) : model.findLastIndex(same);
        const [gone] = at >= 0 ? model.splice(at, 1) : [];
        records.remove(gone?.recordId ?? -1, id, model.find((row) => row.id === id)?.recordId ?? 0);
      } else if (kind === 'rename') {
        const row = name === '5' ? model.findLast((one) => one.id === id) : model.find((one) => one.id === id);
        if (row === undefined) continue;
        row.id = BigInt(name);
        row.json = json(row.id, 'renamed');
        records.replace(row.recordId, 2, 7, row.json);
        records.rename(row.recordId, id, row.id, model.find((one) => one.id === id)?.recordId ?? 0);
        expect(text(records.find(row.id))).toBe(model.find((one) => one.id === row.id)?.json);
      } else taken.push({ parts: records.parts(), expected: expected() });
      expect(text(records.find(id))).toBe(model.find((row) => row.id === id)?.json);
      const same = model.filter((row) => row.id === id).map((row) => row.recordId);
      expect(records.recordIdsOf(id) ?? same).toEqual(same);
      expect(records.count()).toBe(model.length);
    }
    expect(records.list()).toBe(expected());
    expect(records.listSize()).toBe(Buffer.byteLength(expected()));
    for (const row of model) expect(text(records.find(row.id))).toBe(model.find(({ id }) => id === row.id)?.json);
    for (const from of [0, 1, Math.floor(recordId / 2), recordId, Number.POSITIVE_INFINITY]) {
      const after = model.filter((row) => row.recordId > from).map((row) => row.json);
      const before = model.filter((row) => row.recordId < from).map((row) => row.json);
      expect([...records.from(from, false)].map(jsonOf)).toEqual(after);
      expect([...records.from(from, true)].map(jsonOf)).toEqual(before.reverse());
    }
    for (const { parts, expected } of taken) expect(text(Buffer.concat([...parts]))).toBe(expected);
  });
  fc.assert(property, { numRuns: 200 });
});

test('an operation on a removed record changes nothing', () => {
  const records = newRecords();
  for (const recordId of [1, 2, 3]) records.append(meta(recordId), BigInt(recordId), json(BigInt(recordId), 'x'));
  records.remove(2, 2n, 0);
  const left = `[${json(1n, 'x')},${json(3n, 'x')}]`;
  for (const again of [
    () => records.remove(2, 2n, 0),
    () => records.replace(2, 2, 7, json(2n, 'new')),
    () => records.rename(2, 2n, 7n, 0),
    // A removed record does not become the next record with an id.
    () => records.rename(1, 1n, 1n, 2),
  ]) {
    again();
    expect(records.list()).toBe(left);
    expect({ count: records.count(), size: records.listSize() }).toEqual({ count: 2, size: left.length });
    expect([1n, 2n, 3n, 7n].map((id) => text(records.find(id)))).toEqual([
      json(1n, 'x'),
      undefined,
      json(3n, 'x'),
      undefined,
    ]);
  }
});

test('a replaced record has its new version and time, and the time when it was added', () => {
  const records = newRecords();
  records.append({ recordId: 5, version: 3, created: 10, updated: 20 }, 1n, json(1n, 'x'));
  records.replace(5, 4, 30, json(1n, 'longer'));
  const kept = records.get(5);
  expect(kept).toMatchObject({ recordId: 5, version: 4, created: 10, updated: 30 });
  expect(jsonOf(kept)).toBe(json(1n, 'longer'));
  expect([records.get(4), records.get(6)]).toEqual([undefined, undefined]);
});

test('a large record frees its memory when it is removed, and when it becomes small', () => {
  const records = newRecords();
  const large = json(7n, 'x'.repeat(1_000_000));
  for (let recordId = 1; recordId <= 3; recordId++) records.append(meta(recordId), BigInt(recordId), large);
  expect(records.memory()).toBeGreaterThan(3_000_000);
  records.remove(1, 1n, 0);
  records.replace(3, 2, 7, json(3n, 'small'));
  expect(records.memory()).toBeLessThan(1_100_000);
  records.append(meta(4), 4n, json(4n, 'next'));
  expect(records.list()).toBe(`[${large},${json(3n, 'small')},${json(4n, 'next')}]`);
});

test('repeated changes of an id use no more memory', () => {
  const records = newRecords();
  for (let recordId = 1; recordId <= 100; recordId++)
    records.append(meta(recordId), BigInt(recordId), json(BigInt(recordId), 'x'));
  const before = records.memory();
  for (let n = 0; n < 100_000; n++) records.rename(7, BigInt(n % 2 === 0 ? 7 : -7), BigInt(n % 2 === 0 ? -7 : 7), 0);
  for (let n = 0; n < 100_000; n++) records.rename(8, BigInt(n === 0 ? 8 : n + 1000), BigInt(n + 1001), 0);
  expect(records.memory()).toBeLessThan(before * 2);
  for (const id of [1n, 7n, 100n, 101_000n]) expect(records.find(id)).toBeDefined();
  for (const id of [-7n, 8n, 100_999n]) expect(records.find(id)).toBeUndefined();
});

test('size, tag and parts of one read are of the same records, though others are added meanwhile', () => {
  const records = newRecords();
  records.append(meta(1), 1n, json(1n, 'first'));
  const [before, after] = records.read((seen) => {
    const of = () => ({ tag: seen.tag, count: seen.count, size: seen.listSize, found: text(seen.find(2n)) });
    const first = of();
    records.append(meta(2), 2n, json(2n, 'second'));
    return [first, of()];
  });
  expect(after).toEqual(before);
  expect(records.read((seen) => seen.count)).toBe(2);
});

test('the records are wasteful only if removed records far outnumber the rest', () => {
  const records = newRecords();
  records.append(meta(1), 1n, json(1n, 'stays'));
  expect(records.isWasteful()).toBe(false);
  let recordId = 1;
  const comeAndGo = (times: number) => {
    for (const end = recordId + times; recordId < end; ) {
      records.append(meta(++recordId), 2n, json(2n, 'gone'));
      records.remove(recordId, 2n, 0);
    }
  };
  comeAndGo(1000);
  expect(records.isWasteful()).toBe(false);
  comeAndGo(110_000);
  expect(records.isWasteful()).toBe(true);
});

describe('a hundred thousand records', () => {
  const records = newRecords();
  for (let n = 1; n <= 100_000; n++) records.append(meta(n), BigInt(n), json(BigInt(n), `Item number ${n}`));

  test('are found by id', () => {
    for (const id of [1n, 50_000n, 100_000n]) expect(text(records.find(id))).toBe(json(id, `Item number ${id}`));
    expect([1n, 100_000n, 100_001n].map((id) => records.recordIdsOf(id))).toEqual([[1], [100_000], []]);
  });

  test('use less than four times their size in memory, though they are short', () => {
    expect(records.memory()).toBeLessThan(4 * records.listSize());
  });

  test('are one JSON array in many parts', () => {
    const parts = [...records.parts()];
    expect(parts.length).toBeGreaterThan(10);
    expect(parts.reduce((sum, part) => sum + part.length, 0)).toBe(records.listSize());
    expect(JSON.parse(records.list() ?? '').length).toBe(100_000);
  });
});
