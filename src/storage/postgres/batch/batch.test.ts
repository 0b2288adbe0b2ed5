/** A batch as JSON text: its runs, in the order of the writes. */
import { expect, test } from 'bun:test';
import { items } from '../../../collections/items.ts';
import { users } from '../../../collections/users.ts';
import { encodeBatch, type Shown } from './batch.ts';

const shown: readonly Shown[] = [[3, '2026-01-01T00:00:00.000Z']];

test('a run ends only where the collection or the kind of write changes', () => {
  const batch = encodeBatch(
    [
      { operation: { op: 'create', collection: items, json: '{"id":1}' } },
      { operation: { op: 'create', collection: items, json: '{"id":2}' } },
      { operation: { op: 'create', collection: users, json: '{"id":3}' } },
      { operation: { op: 'create', collection: users, json: '{"id":4}' } },
      { operation: { op: 'delete', collection: users, recordId: 5 } },
      { operation: { op: 'create', collection: users, json: '{"id":6}' } },
    ],
    shown,
  );
  expect(JSON.parse(batch)).toEqual({
    shown,
    runs: [
      { to: 'items', add: [{ id: 1 }, { id: 2 }] },
      { to: 'users', add: [{ id: 3 }, { id: 4 }] },
      { to: 'users', discard: 5 },
      { to: 'users', add: [{ id: 6 }] },
    ],
  });
});
