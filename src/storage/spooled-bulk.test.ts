import { expect, spyOn, test } from 'bun:test';
import { temporaryFolder } from '../../test/folder.ts';
import { Failure } from '../domain/errors.ts';
import { Room } from './room.ts';
import { Spool } from './spool.ts';
import { openBulk } from './spooled-bulk.ts';

test('a bulk whose file cannot be closed has its outcome, and makes room for the next one', async () => {
  const room = new Room({ bulks: 1, lists: 1, spoolBytes: 100 });
  const place = { folder: temporaryFolder(), room, client: 'c' };
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
    expect(await bulk.commit(undefined)).toEqual(added);
    await bulk.close();
  }
});

test.each([
  [0, 'overloaded'],
  [1, 'outcome_unknown'],
] as const)(
  'an import that has added %d records and cannot count those of earlier batches is %s',
  async (created, code) => {
    const room = new Room({ bulks: 1, lists: 1, spoolBytes: 100 });
    const earlier = { created: 2, first: 1, last: 2, earlier: { at: 'then' } };
    const bulk = await openBulk(
      { folder: temporaryFolder(), room, client: 'c' },
      {
        add: async () => ({ created, first: 3, last: 2 + created, batches: [earlier] }),
        total: () => Promise.reject(new Failure('overloaded')),
      },
    );
    const failed = await bulk.import({ batches: [], keptMs: 1, isAgain: false }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code });
    await bulk.close();
  },
);
