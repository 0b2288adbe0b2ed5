/** A new epoch after a lost history: higher numbers and another secret. */

import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { create } from '../../../../test/support/data/writes.ts';
import { items } from '../../../collections/items.ts';
import { users } from '../../../collections/users.ts';
import { migrate } from '../schema/schema.ts';
import { openWriter } from '../writer/writer.ts';
import { beginEpoch, settingIn } from './epoch.ts';

test('the numbers of changes and of an empty collection continue after the lost history', () => {
  const db = new Database(':memory:');
  migrate(db, [items, users], 'memory');
  beginEpoch(db, 40, 0);
  const writer = openWriter(db, [items, users]);
  const { outcomes, lastChange } = writer.apply([
    create(0, items.encode(items.example ?? {})),
    create(1, users.encode(users.example ?? {})),
  ]);
  expect(outcomes).toEqual([42, 42]);
  expect(lastChange).toBe(43);
  writer.close();
  db.close();
});

test('the secret for cursors changes, so that cursors of the lost history are refused', () => {
  const db = new Database(':memory:');
  migrate(db, [items], 'memory');
  const lost = settingIn(db, 'secret');
  beginEpoch(db, 40, 0);
  const secret = settingIn(db, 'secret');
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(secret).not.toBe(lost);
  db.close();
});
