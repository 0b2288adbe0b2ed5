/** A right is lost and used at the same time: the short form of what `npm run torture -- noninterference` does 10,000 times. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { runRaces } from '../../../torture/noninterference/races.ts';
import { temporaryFolder } from '../../support/data/folder.ts';
import { type EngineUnderTest, emptyEngines } from '../../support/servers/engines.ts';

const folder = temporaryFolder();
const engines: readonly EngineUnderTest[] = [...emptyEngines, ['sqlite', () => `sqlite:${join(folder, 'races.db')}`]];

test.each(engines)('%s: a change by a former owner is never allowed', async (_, newUrl) => {
  const { allowed, refused, complaints } = await runRaces(100, await newUrl());
  expect(complaints).toEqual([]);
  // Both come first now and then.
  expect([allowed > 0, refused > 0]).toEqual([true, true]);
});
