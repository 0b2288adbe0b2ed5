/** A stream of records on every engine: it is of one moment, however slowly it is read. */

import { afterEach, describe, expect, test } from 'bun:test';
import { engineOf, withCache } from '../../test/support/servers/engine.ts';
import { emptyEngines, lastingEngines } from '../../test/support/servers/engines.ts';
import { everything } from '../domain/access/view.ts';
import { collection } from '../domain/record/collection.ts';
import type { Stored } from '../domain/record/record.ts';
import type { Store } from '../domain/store/store.ts';
import { everybody } from '../domain/store/writes.ts';
import { openEngine } from './open.ts';

const notes = collection('notes', {
  singular: 'note',
  fields: { title: { type: 'text' }, state: { type: 'text' } },
});

const records = 1203;
const encoder = new TextEncoder();
const encode = (some: readonly Stored[]) =>
  encoder.encode(some.map(({ row }) => `${row.title} ${row.state}\n`).join(''));
const requester = { client: undefined, signal: undefined };

const open: Store[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.admin.close();
});

async function openStore(url: string): Promise<Store> {
  const store = openEngine(engineOf(url), [notes], withCache(2 ** 24));
  open.push(store);
  await store.admin.ready;
  const additions = Array.from({ length: records }, (_, n) =>
    store.writes.commit(everybody, {
      operation: {
        op: 'create',
        collection: notes,
        json: `{"title":"${n}","state":"${n % 3 === 0 ? 'old' : 'other'}"}`,
      },
    }),
  );
  await Promise.all(additions);
  return store;
}

const change = (store: Store, recordId: number) =>
  store.writes.commit(everybody, { operation: { op: 'update', collection: notes, recordId, json: '{"state":"new"}' } });

async function restOf(parts: AsyncGenerator<Uint8Array, void>): Promise<string> {
  let text = '';
  for await (const part of parts) text += Buffer.from(part);
  return text;
}

describe.each([...emptyEngines, ...lastingEngines()])('%s', (_, newUrl) => {
  test('a change during the stream is not in it', async () => {
    const store = await openStore(await newUrl());
    const parts = store.reads.stream(everything(notes), { where: [], sort: [] }, encode, requester);
    const { value } = await parts.next();
    await change(store, 1);
    await change(store, records);
    const text = Buffer.from(value ?? []) + (await restOf(parts));
    expect(text.match(/\n/g)).toHaveLength(records);
    expect(text).not.toContain('new');
    expect(await restOf(store.reads.stream(everything(notes), { where: [], sort: [] }, encode, requester))).toContain(
      'new',
    );
  });

  test('filters and an order apply to the whole of it', async () => {
    const store = await openStore(await newUrl());
    const where = [{ field: 'state', operator: 'eq', values: ['other'] }] as const;
    const sort = [{ field: 'id', descending: true }];
    const lines = (await restOf(store.reads.stream(everything(notes), { where, sort }, encode, requester)))
      .trim()
      .split('\n');
    const numbers = lines.map((line) => Number(line.split(' ')[0]));
    expect(numbers).toEqual([...Array(records).keys()].filter((n) => n % 3 !== 0).reverse());
  });

  test('several at once, and writes between them, do not stop each other', async () => {
    const store = await openStore(await newUrl());
    const read = async () => {
      for (let at = 0; at < 8; at++)
        await restOf(store.reads.stream(everything(notes), { where: [], sort: [] }, encode, requester));
    };
    const write = async () => {
      for (let at = 0; at < 30; at++) expect(await change(store, 1)).toMatchObject({ version: at + 2 });
    };
    await Promise.all([read(), read(), read(), read(), write()]);
  });

  test('one that is left early does not stop later writes', async () => {
    const store = await openStore(await newUrl());
    const parts = store.reads.stream(everything(notes), { where: [], sort: [] }, encode, requester);
    await parts.next();
    await parts.return();
    expect(await change(store, 1)).toMatchObject({ version: 2 });
  });
});
