/** Two stores over one file, as two serving threads have them: their writes meet in the writing thread. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { items } from '../../collections/items.ts';
import { users } from '../../collections/users.ts';
import { SpoolLimits } from '../bulk/spool-limits.ts';
import { openShared, type SharedFile } from './further-thread.ts';
import { openFile } from './open.ts';

const rounds = 30;

async function openTwo() {
  const collections = [items, users];
  const options = { spoolLimits: new SpoolLimits({ bulks: 2, lists: 1, spoolBytes: 2 ** 26 }), searchMs: 60_000 };
  const one = openFile(join(temporaryFolder(), 'x.db'), collections, { ...options, cacheBytes: 2 ** 26 });
  await one.admin.ready;
  const { sharing, tickets } = one.admin;
  if (sharing === undefined) throw new Error('SQLite can be shared');
  const trouble = { onCommit: undefined, onTrouble: undefined, tickets };
  const { store: other, writer } = openShared(sharing.data as SharedFile, collections, { ...options, ...trouble });
  sharing.connect(writer);
  await other.admin.ready;
  const close = async () => {
    await other.admin.close();
    await one.admin.close();
  };
  return { one, other, close };
}

const item = items.encode(items.example ?? {});
const addItem = { operation: { op: 'create', collection: items, json: item } } as const;
const addUser = {
  operation: { op: 'create', collection: users, json: users.encode(users.example ?? {}) },
} as const;

test('a commit of one wakes those who watch the other', async () => {
  const { one, other, close } = await openTwo();
  for (const [writing, watched] of [
    [one, other],
    [other, one],
  ] as const) {
    const woken = Promise.withResolvers<void>();
    const leave = watched.feed.watch(woken.resolve);
    await writing.writes.commit(addItem);
    await woken.promise;
    leave();
  }
  await close();
});

test('a bulk in the same batch as other writes, while another thread writes', async () => {
  const { one, other, close } = await openTwo();
  for (let round = 0; round < rounds; round++) {
    const bulk = await other.writes.bulk(items, '');
    await bulk.add([item, item, item]);
    const [, bulked, added] = await Promise.all([
      one.writes.commit(addUser),
      bulk.commit(undefined),
      other.writes.commit(addUser),
    ]);
    expect(bulked).toMatchObject({ created: 3 });
    expect(added.recordId).toBeGreaterThan(0);
    await bulk.close();
  }
  expect([await one.reads.count(items), await one.reads.count(users)]).toEqual([1 + 3 * rounds, 1 + 2 * rounds]);
  await close();
});
