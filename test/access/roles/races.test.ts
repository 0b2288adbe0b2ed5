/** A right is lost and used at the same time: the short form of what `npm run torture -- noninterference` does 10,000 times. */
import { expect, test } from 'bun:test';
import { runRaces } from '../../../torture/noninterference/races.ts';
import { everyService } from '../../../torture/noninterference/services.ts';
import { temporaryFolder } from '../../support/data/folder.ts';

test.each(everyService(temporaryFolder()))('%s: a change by a former owner is never allowed', async (_, start) => {
  const { allowed, refused, complaints } = await runRaces(100, start);
  expect(complaints).toEqual([]);
  // Both come first now and then.
  expect([allowed > 0, refused > 0]).toEqual([true, true]);
});
