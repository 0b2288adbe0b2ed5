/** A database of an earlier version may have a collection with the name of the route. */

import { afterEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectionsOf } from '../../src/collections/registry.ts';
import { everybody } from '../../src/domain/store/writes.ts';
import { openEngine } from '../../src/storage/open.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { engineOf, engineOptions } from '../support/servers/engine.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { runShelf, type Shelf, startShelf } from '../support/servers/process.ts';

const folder = temporaryFolder();
const config = join(folder, 'shelf.json');
const payment = { singular: 'payment', fields: { amount: { type: 'integer' } } };

/** As an earlier version made it: the record of the collection has the amount 7. */
async function makeFormer(database: string): Promise<void> {
  const collections = collectionsOf({ transactions: payment }, []);
  const store = openEngine(engineOf(database), collections, engineOptions);
  await store.admin.ready;
  const collection = collections.find(({ name }) => name === 'transactions') ?? expect.unreachable();
  await store.writes.commit(everybody, { operation: { op: 'create', collection, json: '{"amount":7}' } });
  await store.admin.close();
}

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let shelf: Shelf | undefined;
  afterEach(async () => {
    await shelf?.stop();
    shelf = undefined;
  });

  const optionsFor = (database: string, collections: object) => {
    writeFileSync(config, JSON.stringify({ collections }));
    return { args: ['--database', database, '--config', config, '--log', 'off'] };
  };
  /** On PostgreSQL a start renames nothing, because other servers may use the old name. */
  async function startRenamed(database: string): Promise<Shelf> {
    const { args } = optionsFor(database, { payments: { ...payment, was: 'transactions' } });
    const { code, stderr } = await runShelf({ args: ['migrate', ...args.slice(0, 4)] });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return startShelf({ args });
  }
  const transact = async ({ url }: Shelf, collection: string) => {
    const operations = [{ op: 'check', collection, id: 1, where: { amount: 7 } }];
    return fetch(`${url}/api/v2/transactions`, { method: 'POST', body: JSON.stringify({ operations }) });
  };

  test('with that name in the file, the server says why it does not start', async () => {
    const database = await newUrl();
    await makeFormer(database);
    const { stderr, code } = await runShelf(optionsFor(database, { transactions: payment }));
    expect(code).not.toBe(0);
    expect(stderr).toContain('collections.transactions: "transactions" is reserved: choose another name');
  });

  test('without it in the file, the server starts, and its records stay', async () => {
    const database = await newUrl();
    await makeFormer(database);
    shelf = await startShelf(optionsFor(database, {}));
    expect((await fetch(`${shelf.url}/api/v2/transactions`)).status).toBe(405);
    expect((await transact(shelf, 'transactions')).status).toBe(400);
    await shelf.stop();
    shelf = await startRenamed(database);
    expect((await transact(shelf, 'payments')).status).toBe(200);
  });

  test('under another name, it has its records and its routes', async () => {
    const database = await newUrl();
    await makeFormer(database);
    shelf = await startRenamed(database);
    const one = await (await fetch(`${shelf.url}/api/v2/payments/1`)).json();
    expect(one).toMatchObject({ amount: 7 });
    const answer = await transact(shelf, 'payments');
    expect(await answer.json()).toEqual({ results: [{ id: 1, version: 1 }], first_change: null, last_change: null });
    expect((await fetch(`${shelf.url}/api/v2/transactions`)).status).toBe(405);
  });
});
