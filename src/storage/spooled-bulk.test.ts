import { expect, spyOn, test } from 'bun:test';
import { temporaryFolder } from '../../test/folder.ts';
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
    const bulk = await openBulk(place, async () => added);
    await bulk.add(['x'.repeat(90)]);
    expect(await bulk.commit(undefined)).toEqual(added);
    await bulk.close();
  }
});
