/** Two stores over one file, as two serving threads have them: their writes meet in the writing thread. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/folder.ts';
import { items } from '../../collections/items.ts';
import { users } from '../../collections/users.ts';
import { Room } from '../bulk/spool-limits.ts';
import { openFile } from './open.ts';
import { openShared, type SharedFile } from './shared.ts';

const rounds = 30;

async function openTwo() {
  const collections = [items, users];
  const options = { room: new Room({ bulks: 2, lists: 1, spoolBytes: 2 ** 26 }), searchMs: 60_000 };
  const one = openFile(join(temporaryFolder(), 'x.db'), collections, { ...options, cacheBytes: 2 ** 26 });
  await one.ready;
  const { sharing, tickets } = one;
  if (sharing === undefined) throw new Error('SQLite can be shared');
  const trouble = { onCommit: undefined, onTrouble: undefined, tickets };
  const { store: other, writer } = openShared(sharing.data as SharedFile, collections, { ...options, ...trouble });
  sharing.connect(writer);
  await other.ready;
  const close = async () => {
    await other.close();
    await one.close();
  };
  return { one, other, close };
}

const item = items.encode(items.example ?? {});
const user = users.encode(users.example ?? {});

test('a commit of one wakes those who watch the other', async () => {
  const { one, other, close } = await openTwo();
  for (const [writing, watched] of [
    [one, other],
    [other, one],
  ] as const) {
    const woken = Promise.withResolvers<void>();
    const leave = watched.watch(woken.resolve);
    await writing.append(items, item);
    await woken.promise;
    leave();
  }
  await close();
});

test('a bulk in the same batch as other writes, while another thread writes', async () => {
  const { one, other, close } = await openTwo();
  for (let round = 0; round < rounds; round++) {
    const bulk = await other.bulk(items, '');
    await bulk.add([item, item, item]);
    const [, bulked, added] = await Promise.all([
      one.append(users, user),
      bulk.commit(undefined),
      other.append(users, user),
    ]);
    expect(bulked).toMatchObject({ created: 3 });
    expect(added.seq).toBeGreaterThan(0);
    await bulk.close();
  }
  expect([await one.count(items), await one.count(users)]).toEqual([1 + 3 * rounds, 1 + 2 * rounds]);
  await close();
});
