/** Reading changes: those of one collection may be far apart, so they are searched in slices. And the figures of a store. */
import { expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { items } from '../../collections/items.ts';
import { users } from '../../collections/users.ts';
import type { Bytes } from '../../domain/bytes.ts';
import { SpoolLimits } from '../bulk/spool-limits.ts';
import { openFile } from './open.ts';
import { FileList } from './reads/file-list.ts';
import { FileReads } from './reads/file-reads.ts';
import { type Search, searchIn } from './search/search.ts';
import { connect } from './statements/connection.ts';

test('changes of one collection are searched in slices, and changes of all collections in one statement', async () => {
  const filename = join(temporaryFolder(), 'x.db');
  const store = openFile(filename, [items, users], {
    cacheBytes: 0,
    spoolLimits: new SpoolLimits({ bulks: 1, lists: 1, spoolBytes: 2 ** 26 }),
    searchMs: 60_000,
  });
  await store.admin.ready;
  const { last } = await store.feed.history();
  const bulk = await store.writes.bulk(users, '');
  await bulk.add(Array.from({ length: 2000 }, () => users.encode(users.example ?? {})));
  await bulk.commit(undefined);
  await bulk.close();
  await store.writes.commit({
    operation: { op: 'create', collection: items, json: items.encode(items.example ?? {}) },
  });

  const db = connect(filename);
  const slicesOf = (search: Search | undefined) => (search === undefined ? 0 : [...searchIn(db, search)].length + 1);
  const searches = spyOn(FileReads.prototype, 'search');
  try {
    const { changes } = await store.feed.changes(last, 10, items);
    expect(changes.map(({ changeNumber: recordId }) => recordId)).toEqual([last + 2001]);
    // Between two slices the search can be cancelled, and other searches run.
    expect(slicesOf(searches.mock.lastCall?.[0])).toBeGreaterThan(1);

    expect((await store.feed.changes(last, 10)).changes).toHaveLength(10);
    expect(slicesOf(searches.mock.lastCall?.[0])).toBe(1);
  } finally {
    searches.mockRestore();
    db.close(true);
    await store.admin.close();
  }
});

test('a list that cannot be closed makes room for the next one', async () => {
  const store = openFile(join(temporaryFolder(), 'x.db'), [items, users], {
    cacheBytes: 0,
    spoolLimits: new SpoolLimits({ bulks: 1, lists: 1, spoolBytes: 2 ** 26 }),
    searchMs: 60_000,
  });
  await store.admin.ready;
  const { close } = FileList.prototype;
  const closing = spyOn(FileList.prototype, 'close').mockImplementationOnce(async function (this: FileList) {
    await close.call(this);
    throw new Error('EIO');
  });
  try {
    const read = async () => Array.fromAsync((await store.reads.list(items)).parts('c') as AsyncGenerator<Bytes, void>);
    await expect(read()).rejects.toThrow('EIO');
    expect(Buffer.concat(await read()).toString()).toStartWith('[{"id":1,');
  } finally {
    closing.mockRestore();
    await store.admin.close();
  }
});

test('a list is set aside while the log is large', async () => {
  const store = openFile(join(temporaryFolder(), 'x.db'), [items, users], {
    cacheBytes: 0,
    spoolLimits: new SpoolLimits({ bulks: 1, lists: 1, spoolBytes: 2 ** 26 }),
    searchMs: 60_000,
    // Any size is over it.
    walBytes: -1,
  });
  await store.admin.ready;
  const settingAside = spyOn(FileList.prototype, 'setAside');
  try {
    const parts = (await store.reads.list(items)).parts('c') as AsyncGenerator<Bytes, void>;
    const { value } = await parts.next();
    expect(settingAside).toHaveBeenCalled();
    expect(Buffer.concat([value ?? new Uint8Array(), ...(await Array.fromAsync(parts))]).toString()).toStartWith('[{');
  } finally {
    settingAside.mockRestore();
    await store.admin.close();
  }
});

test('the size of memory is known before the first write', async () => {
  const store = openFile(join(temporaryFolder(), 'x.db'), [items, users], {
    cacheBytes: 1e9,
    spoolLimits: new SpoolLimits({ bulks: 1, lists: 1, spoolBytes: 2 ** 26 }),
    searchMs: 60_000,
  });
  await store.admin.ready;
  while ((await store.reads.list(items)).tag === undefined) await Bun.sleep(1);
  expect(store.admin.figures().cacheBytes).toBeGreaterThan(0);
  await store.admin.close();
});
