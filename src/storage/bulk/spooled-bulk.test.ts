import { expect, spyOn, test } from 'bun:test';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { Failure } from '../../domain/errors.ts';
import { Spool } from './spool.ts';
import { SpoolLimits } from './spool-limits.ts';
import { type BulkEngine, openBulk } from './spooled-bulk.ts';

test('a bulk whose file cannot be closed has its outcome, and makes room for the next one', async () => {
  const spoolLimits = new SpoolLimits({ bulks: 1, lists: 1, spoolBytes: 100 });
  const place = { folder: temporaryFolder(), spoolLimits, client: 'c' };
  const added = { created: 1, first: 2, last: 2 };
  const { open } = Spool;
  using _ = spyOn(Spool, 'open').mockImplementation(async (...given) => {
    const spool = await open.apply(Spool, given);
    const { file } = spool;
    const close = file.close.bind(file);
    file.close = async () => {
      await close();
      throw new Error('EIO');
    };
    return spool;
  });
  for (let n = 0; n < 2; n++) {
    const bulk = await openBulk(place, { add: async () => added, total: async () => 0 });
    await bulk.add(['x'.repeat(90)]);
    expect(await bulk.commit(undefined)).toEqual({ ...added, isRepeated: false });
    await bulk.close();
  }
});

test('a key that was used with another body is refused', async () => {
  const spoolLimits = new SpoolLimits({ bulks: 1, lists: 1, spoolBytes: 100 });
  const place = { folder: temporaryFolder(), spoolLimits, client: 'c' };
  const bulk = await openBulk(place, { add: async () => 'mismatch', total: async () => 0 });
  const once = { key: 'k', digest: 'd', former: 'f', keptMs: 1000 };
  await expect(bulk.commit(once)).rejects.toThrow('Idempotency-Key');
  await bulk.close();
});

/** An import that adds so many records, while two batches are in already. `total` counts their records. */
async function importing(created: number, total: BulkEngine['total'], signal?: AbortSignal) {
  const spoolLimits = new SpoolLimits({ bulks: 1, lists: 1, spoolBytes: 100 });
  const batches = [3, 7].map((first) => ({ created: 2, first, last: first + 1, earlier: { at: 'then' } }));
  const bulk = await openBulk(
    { folder: temporaryFolder(), spoolLimits, client: 'c' },
    { add: async () => ({ created, first: 9, last: 8 + created, batches }), total },
  );
  try {
    return await bulk.import({ batches: [], keptMs: 1, isAgain: false }, signal);
  } finally {
    await bulk.close();
  }
}

test('an import that cannot count the records of earlier batches says what it has added, or fails if that is nothing', async () => {
  const total = () => Promise.reject(new Failure('overloaded'));
  await expect(importing(0, total)).rejects.toMatchObject({ code: 'overloaded' });
  expect(await importing(1, total)).toEqual([
    { created: 2, first: 3, last: 4, earlier: { at: 'then' } },
    { created: 2, first: 7, last: 8, earlier: { at: 'then' } },
  ]);
});

test('the records of earlier batches are not counted for a client that has left', async () => {
  const left = new AbortController();
  const requesters: unknown[] = [];
  // The search of an engine that cannot stop it.
  const total: BulkEngine['total'] = async (_, requester) => {
    requesters.push(requester);
    left.abort(new Failure('malformed_request'));
    return 1;
  };
  await expect(importing(0, total, left.signal)).rejects.toMatchObject({ code: 'malformed_request' });
  expect(requesters).toEqual([{ client: 'c', signal: left.signal }]);
});
