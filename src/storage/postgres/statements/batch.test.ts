/** A batch as JSON text: its runs, in the order of the writes. */
import { expect, test } from 'bun:test';
import { encodeBatch, type Shown } from './batch.ts';

const shown: readonly Shown[] = [[3, '2026-01-01T00:00:00.000Z']];

test('a run ends only where the collection or the kind of write changes', () => {
  const batch = encodeBatch(
    [
      { to: 'items', add: '{"id":1}' },
      { to: 'items', add: '{"id":2}' },
      { to: 'users', add: '{"id":3}' },
      { to: 'users', add: '{"id":4}' },
      { to: 'users', discard: 5, when: undefined, permitted: undefined },
      { to: 'users', add: '{"id":6}' },
    ],
    shown,
  );
  expect(JSON.parse(batch)).toEqual({
    shown,
    runs: [
      { to: 'items', add: [{ id: 1 }, { id: 2 }] },
      { to: 'users', add: [{ id: 3 }, { id: 4 }] },
      { to: 'users', discard: 5, versions: null, none: null },
      { to: 'users', add: [{ id: 6 }] },
    ],
  });
});
