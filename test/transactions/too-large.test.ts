/** One transaction cannot make all other writes wait for long: what it reads, changes and returns is bounded. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { maxChanges, maxRecordBytes } from '../../src/domain/store/operation.ts';
import { declared } from '../support/data/library.ts';
import { everyEngine, type Lending, startLending } from '../support/servers/transactions.ts';

const collections = declared({
  folders: { singular: 'folder', fields: { name: 'text', size: { type: 'integer', default: 0 } } },
  files: { singular: 'file', fields: { folder: { type: 'reference', to: 'folders', on_delete: 'cascade' } } },
});
const maxBody = maxRecordBytes / 4;

describe.each(everyEngine())('%s', (_, newUrl) => {
  let server: Lending;
  beforeAll(async () => {
    server = await startLending({
      ...{ database: await newUrl(), collections, limits: { maxBody } },
      // On a machine that runs all tests at once.
      storage: { timeout: 60_000 },
    });
  });
  afterAll(() => server.stop());

  const refusal = (operation: number, detail: string) => ({
    status: 409,
    body: { type: '/problems/too-many-records', operation, detail: `Operation ${operation}: ${detail}` },
  });
  const last = async () => (await server.get('changes?limit=1&after=0')).body.last;

  test('large records are read and changed up to a limit', async () => {
    const id = await server.create('folders', { name: 'x'.repeat(maxBody - 100) });
    const before = await last();
    const large = refusal(
      4,
      'The records that the transaction reads and changes have more than 16 MiB together: divide it.',
    );
    const check = { op: 'check', collection: 'folders', id, version: 1 };
    const change = (at: number) => ({ op: 'update', collection: 'folders', id, record: { size: at } });
    const all = { op: 'add', collection: 'folders', where: { id }, record: { size: 1 } };
    expect(await server.transact(Array(5).fill(check))).toMatchObject(large);
    expect(await server.transact([check, check, change(1), all, change(2)])).toMatchObject(large);
    expect(await last()).toBe(before);
    const two = await server.transact([check, change(7)], { return: 'records' });
    expect(two.body).toMatchObject({ results: [{ size: 0 }, { size: 7 }] });
  });

  test('cascades of all operations together are bounded', async () => {
    const each = Math.ceil(maxChanges / 3);
    const folders = await Promise.all([1, 2, 3].map((size) => server.create('folders', { name: 'full', size })));
    const lines = folders.flatMap((folder) => Array(each).fill(`{"folder":${folder}}`));
    const bulk = await fetch(`${server.url}/api/v2/files/bulk`, { method: 'POST', body: lines.join('\n') });
    expect(bulk.status).toBe(201);
    const before = await last();
    const removals = folders.map((id) => ({ op: 'delete', collection: 'folders', id }));
    const many = 'The transaction makes more than 20000 changes, with those of cascades: divide it.';
    expect(await server.transact(removals)).toMatchObject(refusal(2, many));
    const matching = { op: 'delete', collection: 'folders', where: { id: { in: folders } } };
    expect(await server.transact([matching])).toMatchObject(refusal(0, many));
    expect(await last()).toBe(before);
    const { body } = await server.transact(removals.slice(1));
    expect(Number(body.last_change) - Number(body.first_change)).toBe(2 * each + 1);
  });
});
