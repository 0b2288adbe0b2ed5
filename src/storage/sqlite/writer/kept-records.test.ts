/** Collections that cannot be in memory. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/folder.ts';
import { items } from '../../../collections/items.ts';
import { connect } from '../connection.ts';
import { Level } from '../memory/level.ts';
import { migrate } from '../schema.ts';
import { KeptRecords } from './kept-records.ts';

const folder = temporaryFolder();

test.each([1_000_000, Number.POSITIVE_INFINITY])(
  'a collection that cannot be read is not in memory, with a budget of %d bytes',
  async (budget) => {
    const filename = join(folder, `${budget}.db`);
    writeFileSync(filename, '');
    const db = connect(filename);
    db.transaction(() => migrate(db, [items], filename)).immediate();
    const kept = new KeptRecords(db, [items], budget, new Level(), 1);
    db.run('alter table items rename to other');
    kept.fill();
    await new Promise(setImmediate);
    kept.publish();
    // An infinite budget has no number of shards.
    expect(kept.share().hot.shards.length > 0).toBe(Number.isFinite(budget));
    kept.close();
    db.close(true);
  },
);
