import { expect, test } from 'bun:test';
import type { Collection } from './declarations.ts';
import { deletionBatches, referrersFirst } from './delete-many.ts';
import { type Row, rowOf } from './pages.ts';

const fields = { parent: { type: 'reference', to: 'nodes' }, other: { type: 'reference', to: 'nodes' } };
const nodes: Collection = { name: 'nodes', singular: 'node', fields, contract: false };
const node = (id: number, parent: number | null = null, other: number | null = null): Row =>
  rowOf(
    new Map([
      ['id', String(id)],
      ['version', '3'],
      ['parent', String(parent)],
      ['other', String(other)],
    ]),
  );
const ordered = (rows: readonly Row[], collection = nodes) => referrersFirst(collection, rows).map(({ id }) => id);

test('a record comes before those that it refers to', () => {
  expect(ordered([node(1), node(2, 1), node(3, 2)])).toEqual(['3', '2', '1']);
  expect(ordered([node(1), node(2), node(3, 1, 2), node(4, 2, 3)])).toEqual(['4', '3', '1', '2']);
  const chain = Array.from({ length: 5000 }, (_, place) => node(place + 1, place));
  expect(ordered(chain)).toEqual(chain.map(({ id }) => id).reverse());
});

test('the order stays without references among them; circles are last', () => {
  expect(ordered([node(5, 9), node(1), node(7, 7)])).toEqual(['5', '1', '7']);
  expect(ordered([node(1, 2), node(2, 1), node(3, 1)])).toEqual(['3', '1', '2']);
  expect(ordered([node(1), node(2, 1)], { ...nodes, fields: {} })).toEqual(['1', '2']);
});

test('a batch is one transaction with the versions that were seen, under a key of its own', () => {
  const [small] = deletionBatches(nodes, [node(1), node(2, 1)]);
  expect(JSON.parse(small?.request.body ?? '')).toEqual({
    operations: [
      { op: 'delete', collection: 'nodes', id: 2, version: 3 },
      { op: 'delete', collection: 'nodes', id: 1, version: 3 },
    ],
  });
  const many = Array.from({ length: 2500 }, (_, place) => node(place + 1));
  const batches = deletionBatches(nodes, many);
  expect(batches.map(({ rows }) => rows.length)).toEqual([1000, 1000, 500]);
  expect(batches.flatMap(({ rows }) => rows)).toEqual(many);
  expect(new Set(batches.map(({ request }) => request.headers?.['Idempotency-Key'])).size).toBe(3);
  expect(deletionBatches(nodes, many.slice(0, 1000))).toHaveLength(1);
});
