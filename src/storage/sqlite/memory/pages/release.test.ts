/** Memory that is given back to the system when a collection is too large. */
import { expect, test } from 'bun:test';
import { state } from '../header.ts';
import { listPieces } from '../list-pieces.ts';
import { Memory } from '../memory.ts';
import { MemoryReader } from '../reader.ts';

const json = (recordId: number) => `{"id":${recordId},"name":"${'x'.repeat(100)}"}`;

function open() {
  const memory = new Memory(2);
  const [large, small] = memory.tables;
  if (large === undefined || small === undefined) throw new Error('no table');
  const reader = new MemoryReader(memory.shared());
  const add = (table: typeof large, from: number, to: number) => {
    for (let recordId = from; recordId <= to; recordId++)
      table.append({ recordId, version: 1, created: 0, updated: 0 }, BigInt(recordId), json(recordId));
    table.state = state.ready;
    memory.publish();
  };
  const drop = () => {
    large.clear();
    memory.release();
    memory.publish();
  };
  const found = (place: number, id: number) => {
    const bytes = reader.table(place).read((table) => table.find(BigInt(id)));
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  };
  return { memory, large, small, reader, add, drop, found };
}

test('a table that is dropped gives its memory back, and others keep theirs', () => {
  const { memory, large, small, add, drop, found } = open();
  add(small, 1, 100);
  add(large, 1, 50_000);
  const full = memory.bytes;
  expect(full).toBeGreaterThan(8_000_000);
  drop();
  expect(memory.bytes).toBeLessThan(2_000_000);
  expect([found(0, 1), found(1, 100)]).toEqual([undefined, json(100)]);
  // The memory that replaces it is found by readers, too.
  add(large, 1, 50_000);
  expect(memory.bytes).toBeLessThan(full * 1.2);
  expect([found(0, 50_000), found(1, 100)]).toEqual([json(50_000), json(100)]);
  const late = new MemoryReader(memory.shared()).table(0);
  expect(late.read((table) => table.count)).toBe(50_000);
});

test('a reader that is closed finds nothing, also after memory has grown', () => {
  const { large, small, reader, add, found } = open();
  add(small, 1, 1);
  expect(found(1, 1)).toBe(json(1));
  reader.close();
  add(large, 1, 50_000);
  expect(found(1, 1)).toBeUndefined();
});

test('the system has the memory back soon, without further work', async () => {
  const { memory, large, small, reader, add, drop } = open();
  add(small, 1, 1);
  add(large, 1, 50_000);
  reader.refresh();
  const segments = memory
    .shared()
    .segments.slice(1)
    .map((segment) => new WeakRef(segment));
  drop();
  reader.refresh();
  while (segments.some((segment) => segment.deref() !== undefined)) await new Promise(setImmediate);
  expect(segments.length).toBeGreaterThan(2);
});

test('a list that is being read keeps its memory until it ends', () => {
  const { memory, large, small, reader, add, drop } = open();
  add(small, 1, 1);
  add(large, 1, 50_000);
  const table = reader.table(0);
  const parts = listPieces(table, table.read(({ tag }) => tag) ?? '');
  if (parts === undefined) throw new Error('the list has changed');
  const first = parts.next().value ?? new Uint8Array();
  drop();
  add(small, 2, 2);
  expect(memory.bytes).toBeGreaterThan(8_000_000);
  const text = Buffer.concat([first, ...parts]).toString();
  expect(JSON.parse(text)).toHaveLength(50_000);
  add(small, 3, 3);
  // The root was in one of the segments.
  add(small, 4, 4);
  expect(memory.bytes).toBeLessThan(2_000_000);
});
