/** Collections that cannot be in memory. */
import { expect, spyOn, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../../test/support/data/folder.ts';
import { items } from '../../../../collections/items.ts';
import { CommitProgress } from '../../memory/atomics.ts';
import { migrate } from '../../schema/schema.ts';
import { connect } from '../../statements/connection.ts';
import { RecordsInMemory } from './records-in-memory.ts';

const folder = temporaryFolder();

test.each([1_000_000, Number.POSITIVE_INFINITY])(
  'a collection that cannot be read is not in memory, with a budget of %d bytes',
  async (budget) => {
    const filename = join(folder, `${budget}.db`);
    writeFileSync(filename, '');
    const db = connect(filename);
    db.transaction(() => migrate(db, [items], filename)).immediate();
    const progress = new CommitProgress();
    const kept = new RecordsInMemory(db, [items], budget, progress);
    // A reader whose port is collected has left.
    const readers = [kept.share()];
    db.run('alter table items rename to other');
    kept.fill();
    await new Promise(setImmediate);
    kept.publish();
    // Its hot records may have what memory leaves of the budget, and all threads together no more.
    const left = Math.min(budget, 128 * 1024 ** 3) - kept.memory.bytes;
    expect(progress.hotBytes).toBe(left);
    expect(left).toBeGreaterThan(0);
    while (readers.length < 3) {
      const threads = readers.push(kept.share());
      expect(progress.hotBytes * threads).toBeWithin(left - threads, left + 1);
    }
    for (const { port } of readers) port.close();
    kept.close();
    db.close(true);
  },
);

test('after many updates by a bulk the collection is read again, and after additions alone only they are', async () => {
  const filename = join(folder, 'bulks.db');
  writeFileSync(filename, '');
  const db = connect(filename);
  db.transaction(() => migrate(db, [items], filename)).immediate();
  const kept = new RecordsInMemory(db, [items], 1_000_000, new CommitProgress());
  kept.fill();
  const [table] = kept.memory.tables;
  if (table === undefined) throw new Error('there is a table');
  const clear = spyOn(table, 'clear');
  const write = { op: 'bulk', place: 0, by: undefined, once: undefined, spooled: { fd: 0, size: 0 } } as const;
  const cleared = [{ created: 1 }, { created: 1, updated: 0 }, { created: 0, updated: 1 }].map((counts) => {
    const outcome = { first: 1, last: 1, ...counts };
    kept.apply([write], { outcomes: [outcome], at: '2026-01-01T00:00:00.000Z', lastChange: 1 });
    return clear.mock.calls.length;
  });
  expect(cleared).toEqual([0, 0, 1]);
  await new Promise(setImmediate);
  kept.close();
  db.close(true);
});
