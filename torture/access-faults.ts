/** Plants faults into the rules of roles, and checks that the tests of access find each. Every fault is in a copy of the sources. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from '../scripts/server-entries.ts';
import { accessFaults } from './noninterference/faults.ts';
import { editedSource, type PlantedFault } from './support/edited-source.ts';
import type { Torture } from './support/torture.ts';

const copied = ['src', 'test', 'torture', 'scripts', 'bin', 'package.json', 'tsconfig.json'];
const tests = ['src/domain/access', 'test/access/roles'];
/** Of the short run: the first faults, and the tests that find them. The others run among all tests anyway. */
const short = { faults: 2, tests: ['test/access/roles/reads.test.ts'] };

/** Whether the tests fail with this fault, on `memory:` and SQLite; undefined for none. */
async function isFound(folder: string, full: boolean, fault?: PlantedFault): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, text] of Object.entries(fault === undefined ? {} : editedSource('src', fault))) {
    const place = join(folder, relative(root, path));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
  const { POSTGRES_URL: _, ...env } = process.env;
  const run = Bun.spawn([process.execPath, 'test', '--bail', '--timeout=60000', ...(full ? tests : short.tests)], {
    cwd: folder,
    env,
    stdout: 'ignore',
    stderr: 'ignore',
  });
  return (await run.exited) !== 0;
}

export const accessFaultsFound: Torture = async (run) => {
  const complaints: string[] = [];
  const faults = Object.entries(accessFaults).slice(0, run.full ? undefined : short.faults);
  let found = 0;
  if (await isFound(join(run.folder, 'none'), run.full)) complaints.push('the tests fail without a fault');
  for (const [place, [name, fault]] of faults.entries()) {
    if (await isFound(join(run.folder, String(place)), run.full, fault)) found++;
    else complaints.push(`${name}: not found`);
    run.say(`${name}: ${complaints.at(-1)?.startsWith(name) ? 'NOT FOUND' : 'found'}`);
  }
  return { figures: { faults: faults.length, found }, complaints };
};
