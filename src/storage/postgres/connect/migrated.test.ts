import { expect, test } from 'bun:test';
import { Unanswered } from './errors.ts';
import { Migrated } from './migrated.ts';

test('requests wait for the migration, or for its failure', async () => {
  const migrated = new Migrated();
  const waiting = migrated.wait(performance.now() + 60_000);
  migrated.succeed('write_1');
  await waiting;
  expect([migrated.wait(0), migrated.writeFunction]).toEqual([undefined, 'write_1']);

  const failed = new Migrated();
  // Nobody waits yet, and a rejection that is not handled would end the process.
  failed.fail();
  await new Promise(setImmediate);
  expect(failed.wait(performance.now() + 60_000)).rejects.toThrow(Unanswered);
});
