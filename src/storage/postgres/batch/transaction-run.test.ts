/** A transaction as JSON text: operations are runs, in pieces where they need the id of a record that does not exist yet. */
import { expect, test } from 'bun:test';
import { items } from '../../../collections/items.ts';
import type { Step } from '../../../domain/store/operation.ts';
import { transactionRun, transactionSize } from './transaction-run.ts';

const named = [{ field: 'name', operator: 'eq', values: ["it's"] }] as const;
const quoted = [{ field: 'name', operator: 'in', values: ['a"b', 'a\\b', '{,}'] }] as const;

function run(operations: readonly Step[], more: object = {}) {
  return JSON.parse(transactionRun({ operations, returnsRecords: false, ...more }));
}

test('an operation on a record that exists is a run of its collection', () => {
  const when = { match: [2], noneMatch: undefined };
  const once = { key: 'k', digest: 'd', former: 'f', keptMs: 5 };
  const operations: readonly Step[] = [
    { op: 'create', collection: items, json: ['{"name":"a"}'] },
    { op: 'update', collection: items, recordId: 7, when, where: named, json: ['{"name":"b"}'] },
    { op: 'add', collection: items, recordId: 7, json: '{"price":1}' },
    { op: 'delete', collection: items, recordId: 7 },
    { op: 'check', collection: items, recordId: 7, exists: false },
  ];
  expect(run(operations, { by: 'me', once, permitted: ['items'] })).toEqual({
    to: '',
    by: 'me',
    key: 'k',
    digest: 'd',
    former: 'f',
    kept_ms: 5,
    records: false,
    operations: [
      { to: 'items', by: 'me', create: { name: 'a' } },
      {
        to: 'items',
        by: 'me',
        seq: 7,
        when: { versions: [2] },
        where: { sql: '"items"."name" = $1[1]::text', values: `{"it's"}` },
        update: { name: 'b' },
      },
      { to: 'items', by: 'me', seq: 7, sum: { price: 1 } },
      { to: 'items', by: 'me', discard: 7, permitted: ['items'] },
      { to: 'items', by: 'me', check: 7, exists: false },
    ],
  });
});

test('numbers in pieces stand for the records of earlier operations', () => {
  const { operations } = run([
    { op: 'create', collection: items, json: ['{"price":', 3, '}'] },
    { op: 'delete', collection: items, recordId: { made: 2 } },
  ]);
  expect(operations).toEqual([
    { to: 'items', special: true, pieces: ['{', '"create":', '{"price":', 3, '}', '', '', '}'] },
    { to: 'items', special: true, pieces: ['{', '"discard":', 2, '', '', '}'] },
  ]);
});

test('a search has the part that an index answers beside the whole condition, with one list of values', () => {
  const where = [...named, { field: 'id', operator: 'gt', values: [5] }] as const;
  const { operations } = run([
    { op: 'delete', collection: items, where, count: { lt: 3 } },
    { op: 'check', collection: items, where: [], count: { eq: 0 } },
  ]);
  const search = {
    sql: '"items"."name" = $1[1]::text and "items"."seq" > $1[2]::bigint',
    index: '"items"."seq" > $1[3]::bigint',
    values: `{"it's","5","5"}`,
    order: '"seq"',
  };
  expect(operations).toEqual([
    { to: 'items', special: true, search, count: { lt: 3 }, member: 'discard', pieces: ['', '}'] },
    {
      to: 'items',
      special: true,
      search: { sql: 'true', index: 'true', values: '{}', order: '"seq"' },
      count: { eq: 0 },
    },
  ]);
});

test('a list of values is spelled as PostgreSQL reads it', () => {
  const { operations } = run([{ op: 'check', collection: items, recordId: 7, exists: true, where: quoted }]);
  expect(operations[0].where.values).toBe(String.raw`{"a\"b","a\\b","{,}"}`);
});

test('an upsert compares the fields of its key with what was sent', () => {
  const { operations } = run([
    { op: 'upsert', collection: items, rule: { fields: ['name', 'price'] }, json: ['{}'], sent: ['{"name":"a"}'] },
  ]);
  expect(operations).toEqual([
    {
      to: 'items',
      special: true,
      key: `"name" = ($1->>'name')::text and "price" = ($1->>'price')::double precision`,
      sent: ['{"name":"a"}'],
      add: ['{}'],
    },
  ]);
});

test('it weighs as much as its records, and something for each operation', () => {
  const sized = (...json: (string | number)[]) =>
    transactionSize({ operations: [{ op: 'create', collection: items, json }], returnsRecords: false });
  expect(sized('x'.repeat(1000), 12) - sized('')).toBe(1002);
  expect(sized('')).toBeGreaterThan(0);
});
