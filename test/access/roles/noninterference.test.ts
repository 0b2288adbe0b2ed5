/** What a caller may not see changes no answer: the short form of `npm run torture -- noninterference`. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { runPairs } from '../../../torture/noninterference/run.ts';
import { temporaryFolder } from '../../support/data/folder.ts';
import { type EngineUnderTest, emptyEngines } from '../../support/servers/engines.ts';

const folder = temporaryFolder();
let made = 0;
const engines: readonly EngineUnderTest[] = [
  ...emptyEngines,
  ['sqlite', () => `sqlite:${join(folder, `${made++}.db`)}`],
];

test.each(engines)(
  '%s: two databases that differ in hidden records and fields answer alike',
  async (_, newUrl) => {
    const { complaints, succeeded, changes } = await runPairs({ seed: 1, requests: 400, newUrl });
    expect(complaints).toEqual([]);
    // Not all of them are refused.
    expect([succeeded > 60, changes > 5]).toEqual([true, true]);
  },
  120_000,
);
