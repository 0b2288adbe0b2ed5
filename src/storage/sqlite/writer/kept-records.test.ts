/** Collections that cannot be in memory. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/folder.ts';
import { items } from '../../../collections/items.ts';
import { connect } from '../connection.ts';
import { CommitProgress } from '../memory/atomics.ts';
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
    const progress = new CommitProgress();
    const kept = new KeptRecords(db, [items], budget, progress);
    kept.share();
    db.run('alter table items rename to other');
    kept.fill();
    await new Promise(setImmediate);
    kept.publish();
    // Its hot records may have all of the budget.
    expect(progress.hotBytes).toBeGreaterThan(0);
    kept.close();
    db.close(true);
  },
);
