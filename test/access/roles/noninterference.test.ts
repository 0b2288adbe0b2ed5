/** What a caller may not see changes no answer: the short form of `npm run torture -- noninterference`. */
import { expect, test } from 'bun:test';
import { runPairs } from '../../../torture/noninterference/run.ts';
import { everyService } from '../../../torture/noninterference/services.ts';
import { temporaryFolder } from '../../support/data/folder.ts';

test.each(everyService(temporaryFolder()))(
  '%s: two databases that differ in hidden records and fields answer alike',
  async (_, start) => {
    const { complaints, succeeded, changes } = await runPairs({ seed: 1, requests: 400, start });
    expect(complaints).toEqual([]);
    // Not all of them are refused.
    expect([succeeded > 60, changes > 5]).toEqual([true, true]);
  },
  120_000,
);
