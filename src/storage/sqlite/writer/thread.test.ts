/** The order in which the writing thread commits what several serving threads have sent. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { create } from '../../../../test/support/data/writes.ts';
import { items } from '../../../collections/items.ts';
import { identify } from '../file/watch.ts';
import { CommitProgress } from '../memory/atomics.ts';
import { migrate } from '../schema/schema.ts';
import { connect } from '../statements/connection.ts';
import { WriterConnection } from './thread/connection.ts';
import { WriterThread } from './thread/writer-thread.ts';

test('a light batch does not wait for a heavy one that another thread has sent before', async () => {
  const filename = join(temporaryFolder(), 'order.db');
  writeFileSync(filename, '');
  const db = connect(filename);
  db.transaction(() => migrate(db, [items], filename)).immediate();
  const progress = new CommitProgress();
  const declarations = { items: items.declaration };
  const setup = { filename, opened: identify(filename), declarations, unserved: [], cacheBytes: 1e9 };
  const thread = new WriterThread(setup, progress, () => undefined);
  const [one, two, three] = [
    new WriterConnection(progress),
    new WriterConnection(progress),
    new WriterConnection(progress),
  ];
  for (const connection of [one, two, three]) thread.serve(connection);
  await Promise.all([one.ready, two.ready, three.ready]);
  const append = async (connection: WriterConnection, length: number) => {
    const { outcomes } = await connection.commit([create(0, `{"name":"${'x'.repeat(length)}","price":1}`)]);
    return outcomes[0];
  };
  // Nothing is committed before all three are sent.
  db.run('begin immediate');
  const first = append(one, 10);
  const heavy = append(two, 500_000);
  const light = append(three, 10);
  await new Promise(setImmediate);
  db.run('commit');
  const outcomes = await Promise.all([first, light, heavy]);
  for (const connection of [one, two, three]) await connection.close();
  await thread.close();
  db.close(true);
  expect(outcomes).toEqual([1, 2, 3]);
});
