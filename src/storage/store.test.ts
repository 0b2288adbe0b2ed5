/** One suite for every engine, and tests of the SQLite file. */

import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../test/support/data/folder.ts';
import { engineOf, withCache } from '../../test/support/servers/engine.ts';
import { lastingEngines, quickEngines } from '../../test/support/servers/engines.ts';
import { openFilesOf } from '../../test/support/servers/process.ts';
import { items } from '../collections/items.ts';
import { users } from '../collections/users.ts';
import { everything } from '../domain/access/view.ts';
import type { Bytes } from '../domain/bytes.ts';
import { parseJson } from '../domain/input/json.ts';
import { type Collection, collection } from '../domain/record/collection.ts';
import type { FieldDeclaration } from '../domain/record/declaration.ts';
import type { Row } from '../domain/record/row.ts';
import type { Soon } from '../domain/soon.ts';
import type { Store } from '../domain/store/store.ts';
import { everybody } from '../domain/store/writes.ts';
import { openEngine, parseEngine } from './open.ts';

const folder = temporaryFolder();
const collections = [items, users];
let made = 0;
const open: Store[] = [];

function openAny(url: string, declared = collections, cache = 2 ** 28): Store {
  const store = openEngine(engineOf(url), declared, withCache(cache));
  open.push(store);
  return store;
}

const decoder = new TextDecoder();
const append = (store: Store, to: Collection, row: Row) =>
  store.writes.commit(everybody, { operation: { op: 'create', collection: to, json: to.encode(row) } });

async function listText(store: Store, from: Collection): Promise<string> {
  const parts = (await store.reads.list(everything(from))).parts('');
  if (parts === undefined) throw new Error('the list has changed');
  let text = '';
  for (let part = await parts.next(); !part.done; part = await parts.next())
    text += decoder.decode(part.value as Bytes);
  return text;
}

const encoded = (from: Collection, rows: readonly Row[]) => `[${rows.map(from.encode).join(',')}]`;

/** Both collections declare one. */
const firstOf = ({ first = {} }: Collection): Row => first;

async function found(store: Store, from: Collection, id: bigint): Promise<Row | undefined> {
  const bytes = await store.reads.contractRecord(everything(from), id);
  return bytes === undefined ? undefined : from.parse(parseJson(decoder.decode(bytes)));
}

const newFile = () => join(folder, `${made++}.db`);

afterEach(async () => {
  for (const store of open.splice(0)) await store.admin.close().catch(() => {});
});

describe.each<[string, () => Soon<string>, number]>([
  ...quickEngines.map(([name, newUrl]) => [name, newUrl, 2 ** 28] as [string, typeof newUrl, number]),
  ['sqlite', () => `sqlite:${newFile()}`, 2 ** 28],
  ['sqlite without a cache', () => `sqlite:${newFile()}`, 0],
])('%s', (_, url, cache) => {
  const openStore = async () => {
    const store = openAny(await url(), collections, cache);
    await store.admin.ready;
    return store;
  };

  test('a new database has the first record of each collection', async () => {
    const store = await openStore();
    expect(await listText(store, items)).toBe(encoded(items, [firstOf(items)]));
    expect(await listText(store, users)).toBe(encoded(users, [firstOf(users)]));
    expect(await store.reads.count(everything(items))).toBe(1);
  });

  test('records come back exactly, in insertion order, the first match first', async () => {
    const store = await openStore();
    const rows = [
      { id: -(2n ** 63n), name: '😀\u2028"\\', price: -0 },
      { id: 2n ** 63n - 1n, name: '', price: 5e-324 },
      { id: 7n, name: 'first', price: 3 },
      { id: 7n, name: 'second', price: 2 ** 53 + 2 },
    ];
    for (const row of rows) await append(store, items, row);
    expect(await listText(store, items)).toBe(encoded(items, [firstOf(items), ...rows]));
    expect(Object.is((await found(store, items, -(2n ** 63n)))?.price, -0)).toBe(true);
    expect(await found(store, items, 7n)).toEqual({ id: 7n, name: 'first', price: 3 });
    expect(await found(store, items, 8n)).toBeUndefined();
  });

  test('a commit wakes those who watch, and nobody who has left', async () => {
    const store = await openStore();
    const woken = Promise.withResolvers<void>();
    let wrong = 0;
    store.feed.watch(() => wrong++)();
    const leave = store.feed.watch(woken.resolve);
    await append(store, users, { id: 2n, name: 'new' });
    await woken.promise;
    leave();
    expect(wrong).toBe(0);
  });

  test('a removal deletes the first match only, and returns missing if there is none', async () => {
    const store = await openStore();
    await append(store, users, { id: 1n, name: 'second' });
    expect(
      await store.writes.commit(everybody, { operation: { op: 'delete first', collection: users, contractId: 1n } }),
    ).toBe('done');
    expect(await listText(store, users)).toBe(encoded(users, [{ id: 1n, name: 'second' }]));
    expect(
      await store.writes.commit(everybody, { operation: { op: 'delete first', collection: users, contractId: 1n } }),
    ).toBe('done');
    expect(
      await store.writes.commit(everybody, { operation: { op: 'delete first', collection: users, contractId: 1n } }),
    ).toBe('missing');
    expect(await store.reads.count(everything(users))).toBe(0);
  });

  test('the next record with an id is found when the first is removed, discarded or takes another id', async () => {
    const store = await openStore();
    const named = (name: string) => ({ id: 7n, name, price: 1 });
    const recordIds = new Map<string, number>();
    for (const name of ['a', 'b', 'c', 'd']) recordIds.set(name, (await append(store, items, named(name))).recordId);
    expect(await found(store, items, 7n)).toEqual(named('a'));
    expect(
      await store.writes.commit(everybody, { operation: { op: 'delete first', collection: items, contractId: 7n } }),
    ).toBe('done');
    expect(await found(store, items, 7n)).toEqual(named('b'));
    expect(
      await store.writes.commit(everybody, {
        operation: { op: 'delete', collection: items, recordId: recordIds.get('b') ?? 0 },
      }),
    ).toBe('done');
    expect(await found(store, items, 7n)).toEqual(named('c'));
    expect(
      await store.writes.commit(everybody, {
        operation: { op: 'update', collection: items, recordId: recordIds.get('c') ?? 0, json: '{"id":8}' },
      }),
    ).toMatchObject({ version: 2 });
    expect(await found(store, items, 7n)).toEqual(named('d'));
    expect(await found(store, items, 8n)).toEqual({ ...named('c'), id: 8n });
  });

  test('writes that share a commit are applied in the order of submission', async () => {
    const store = await openStore();
    const outcomes = await Promise.all([
      append(store, users, { id: 5n, name: 'a' }),
      append(store, users, { id: 6n, name: 'b' }),
      store.writes.commit(everybody, { operation: { op: 'delete first', collection: users, contractId: 5n } }),
      store.writes.commit(everybody, { operation: { op: 'delete first', collection: users, contractId: 5n } }),
      append(store, users, { id: 5n, name: 'c' }),
      append(store, users, { id: 5n, name: 'd' }),
      store.writes.commit(everybody, { operation: { op: 'delete first', collection: users, contractId: 5n } }),
    ]);
    expect(outcomes.map((outcome) => (typeof outcome === 'object' ? 'added' : outcome))).toEqual([
      'added',
      'added',
      'done',
      'missing',
      'added',
      'added',
      'done',
    ]);
    const left = [firstOf(users), { id: 6n, name: 'b' }, { id: 5n, name: 'd' }];
    expect(await listText(store, users)).toBe(encoded(users, left));
    expect(await found(store, users, 5n)).toEqual({ id: 5n, name: 'd' });
  });

  test('a list is complete if its first record is larger than one read', async () => {
    const store = await openStore();
    await store.writes.commit(everybody, { operation: { op: 'delete first', collection: users, contractId: 1n } });
    const rows = ['x'.repeat(2 ** 21), 'y'].map((name, index) => ({ id: BigInt(index), name }));
    for (const row of rows) await append(store, users, row);
    expect((await listText(store, users)) === encoded(users, rows)).toBe(true);
  });

  test('ping succeeds while the store is open', async () => {
    const store = await openStore();
    await store.admin.ping();
    await store.admin.close();
    expect(store.admin.ping()).rejects.toThrow();
  });
});

test.each([...lastingEngines()])('%s: isNew is true only at the start that creates the database', async (_, newUrl) => {
  const url = await newUrl();
  for (const isNew of [true, false]) {
    const store = openAny(url);
    await store.admin.ready;
    expect(store.admin.isNew).toBe(isNew);
    await store.admin.close();
  }
});

const openStore = openAny;

type Change = { type: string; record_seq: number; created_at: string; at: string; record: string };

describe('a file', () => {
  test('keeps its records when it is opened again', async () => {
    const path = newFile();
    const before = openStore(`sqlite:${path}`);
    await before.writes.commit(everybody, { operation: { op: 'delete first', collection: users, contractId: 1n } });
    await append(before, items, { id: 9n, name: 'kept', price: 1.5 });
    await before.admin.close();

    const after = openStore(`sqlite:${path}`);
    expect(await listText(after, users)).toBe(encoded(users, []));
    expect(await listText(after, items)).toBe(encoded(items, [firstOf(items), { id: 9n, name: 'kept', price: 1.5 }]));
  });

  test('has one change for each write, and never reuses a number', async () => {
    const path = newFile();
    const store = openStore(`sqlite:${path}`);
    await store.writes.commit(everybody, { operation: { op: 'delete first', collection: users, contractId: 1n } });
    await append(store, users, { id: 5n, name: "O'Neil" });
    await store.admin.close();

    const db = new Database(path, { readonly: true });
    expect(db.prepare('select seq, id, name, version from users').all()).toEqual([
      { seq: 2, id: 5, name: "O'Neil", version: 1 },
    ]);
    const changes = db.prepare<Change, []>(
      "select type, record_seq, created_at, at, record from changes where collection = 'users' order by seq",
    );
    const [created, deleted, again] = changes.all();
    expect([created?.type, deleted?.type, again?.type]).toEqual(['created', 'deleted', 'created']);
    expect([created?.record_seq, deleted?.record_seq, again?.record_seq]).toEqual([1, 1, 2]);
    expect(deleted?.record).toBe(created?.record as string);
    expect(deleted?.created_at).toBe(created?.at as string);
    expect(again?.record).toBe('{"id":5,"name":"O\'Neil"}');
    expect(new Date(again?.at ?? '').toISOString()).toBe(again?.at as string);
    db.close();
  });

  test('is in write-ahead mode and readable by any SQL client while it is served', async () => {
    const path = newFile();
    openStore(`sqlite:${path}`);
    const db = new Database(path, { readonly: true });
    expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(db.prepare('select name, price from items').all()).toEqual([{ name: 'Widget', price: 9.99 }]);
    db.close();
  });

  test('refuses values from other programs that Shelf could not have written', () => {
    const path = newFile();
    openStore(`sqlite:${path}`);
    const db = new Database(path);
    const set = (column: string, value: string | number) => () => db.run(`update items set ${column} = ?`, [value]);
    expect(set('price', 'cheap')).toThrow('CHECK');
    expect(set('id', 'seven')).toThrow('cannot store TEXT value in INTEGER column');
    expect(() => db.run("update changes set type = 'guessed'")).toThrow('CHECK');
    db.close();
  });

  test('gets a table, with its first record, for a collection declared later', async () => {
    const path = newFile();
    await openStore(`sqlite:${path}`, [items]).admin.close();
    const store = openStore(`sqlite:${path}`, [items, users]);
    expect(await listText(store, users)).toBe(encoded(users, [firstOf(users)]));
    expect(await store.reads.count(everything(items))).toBe(1);
  });

  test('changes only in the mark of the run when it is opened', async () => {
    const path = newFile();
    const unmarked = async () => {
      const bytes = await Bun.file(path).bytes();
      // Header fields that may differ: the change counter, the mark (user version) and the version-valid-for counter.
      for (const [from, to] of [
        [24, 28],
        [60, 64],
        [92, 96],
      ])
        bytes.fill(0, from, to);
      return Buffer.from(bytes).toString('hex');
    };
    await openStore(`sqlite:${path}`).admin.close();
    const before = await unmarked();
    await openStore(`sqlite:${path}`).admin.close();
    expect(await unmarked()).toBe(before);
  });

  test('is closed at once while another program reads it', async () => {
    const path = newFile();
    const store = openStore(`sqlite:${path}`);
    const reader = new Database(path, { readonly: true });
    reader.run('begin');
    reader.prepare('select * from items').all();
    await append(store, items, { id: 1n, name: 'n', price: 1 });
    await store.admin.close();
    reader.close();
  }, 4000);

  test('is created with its folder', async () => {
    const path = join(folder, 'a', 'b', 'c.db');
    expect(await openStore(`sqlite:${path}`).reads.count(everything(items))).toBe(1);
  });

  test.skipIf(process.platform !== 'linux')('has its spool files in its own folder', async () => {
    const path = join(folder, 'own', 'x.db');
    const bulk = await openStore(`sqlite:${path}`).writes.bulk(everybody, items, '');
    const spools = openFilesOf(process.pid).filter(({ name }) => name.includes('/.shelf-'));
    expect(spools.map(({ name }) => dirname(name))).toEqual([dirname(path)]);
    await bulk.close();
  });

  test('is open to one server at a time, under any name', async () => {
    const path = newFile();
    const first = openStore(`sqlite:${path}`);
    const link = newFile();
    symlinkSync(path, link);
    expect(() => openStore(`sqlite:${path}`)).toThrow('in use by another Shelf server');
    expect(() => openStore(`sqlite:${link}`)).toThrow('in use by another Shelf server');
    await first.admin.close();
    expect(await openStore(`sqlite:${link}`).reads.count(everything(items))).toBe(1);

    const early = newFile();
    symlinkSync(newFile(), early);
    openStore(`sqlite:${early}`);
    expect(() => openStore(`sqlite:${early}`)).toThrow('in use by another Shelf server');
  });
});

describe('a database that cannot be opened is refused in one line', () => {
  test('a file that is not a database', () => {
    const path = newFile();
    writeFileSync(path, 'This is a text file and no database at all. '.repeat(100));
    expect(() => openStore(`sqlite:${path}`)).toThrow(`${path} is not a SQLite database: choose another --database.`);
  });

  test('a folder', () => {
    const path = newFile();
    mkdirSync(path);
    expect(() => openStore(`sqlite:${path}`)).toThrow('is a folder');
  });

  test('a lock file that is not a lock', () => {
    const path = newFile();
    writeFileSync(`${path}-lock`, 'something else altogether '.repeat(100));
    expect(() => openStore(`sqlite:${path}`)).toThrow(`Cannot lock ${path}-lock`);
  });

  test('a path through a file', () => {
    const path = newFile();
    writeFileSync(path, '');
    expect(() => openStore(`sqlite:${join(path, 'x.db')}`)).toThrow('Cannot open the database');
  });

  test("another program's database, which is left untouched", () => {
    const path = newFile();
    const db = new Database(path, { create: true });
    db.run('create table theirs (x)');
    expect(() => openStore(`sqlite:${path}`)).toThrow("another program's database");
    expect(db.prepare("select name from sqlite_schema where type = 'table'").all()).toEqual([{ name: 'theirs' }]);
    expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' });
    db.close();
  });

  test('a database that a newer version wrote', async () => {
    const path = newFile();
    await openStore(`sqlite:${path}`).admin.close();
    const db = new Database(path);
    db.run('update schema_version set version = 999');
    db.close();
    expect(() => openStore(`sqlite:${path}`)).toThrow('newer Shelf (schema 999');
  });

  test('a table of another shape than the declared one, and nothing is changed', async () => {
    const path = newFile();
    await openStore(`sqlite:${path}`).admin.close();
    const grown = collection('users', {
      singular: 'user',
      fields: { name: { type: 'text' }, age: { type: 'integer' }, height: { type: 'number' } },
      first: { name: '', age: 1, height: 1 },
      contract: { operations: [], id: 'id' },
    });
    expect(() => openStore(`sqlite:${path}`, [items, grown])).toThrow(
      'users.age cannot be required: record 1 has no value. Declare a default, or make it optional.',
    );
    expect(await openStore(`sqlite:${path}`).reads.count(everything(users))).toBe(1);
  });

  test('a column of another kind than the declared one, on either engine', async () => {
    const declare = (type: FieldDeclaration['type'], value: string | number) =>
      collection('users', {
        singular: 'user',
        fields: { name: { type } },
        first: { name: value },
        contract: { operations: [], id: 'id' },
      });
    const kinds = [declare('text', ''), declare('integer', 1), declare('number', 1)];
    for (const [, newUrl] of lastingEngines()) {
      for (const made of kinds) {
        const url = await newUrl();
        const first = openAny(url, [made]);
        await first.admin.ready;
        await first.admin.close();
        for (const other of kinds) {
          const opened = (async () => openAny(url, [other]).admin.ready)();
          if (other === made) await opened;
          else await expect(opened).rejects.toThrow(/nothing was changed[\s\S]*not done {2}users\.name: convert/);
          for (const store of open.splice(0)) await store.admin.close();
        }
      }
    }
  });
});

test.each([
  ['memory:', { kind: 'memory' }],
  ['sqlite:data/shelf.db', { kind: 'sqlite', path: 'data/shelf.db' }],
  ['sqlite:/var/lib/shelf.db', { kind: 'sqlite', path: '/var/lib/shelf.db' }],
  ['sqlite:///var/lib/shelf.db', { kind: 'sqlite', path: '/var/lib/shelf.db' }],
  ['sqlite:', undefined],
  ['sqlite://shelf.db', undefined],
  ['sqlite:////shelf.db', undefined],
  ['sqlite:data/', undefined],
  ['sqlite::memory:', undefined],
  ['memory:x', undefined],
  ['data/shelf.db', undefined],
  ['mysql://localhost/x', undefined],
  ['', undefined],
] as const)('the URL %p names %p', (url, engine) => {
  expect(parseEngine(url)).toEqual(engine as never);
});
