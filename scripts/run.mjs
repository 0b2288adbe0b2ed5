/**
 * Runs a TypeScript file, or any command of the runtime, on a machine that has only Node and npm:
 *   node scripts/run.mjs src/cli/main.ts --port 9000
 * Installs the dependencies first when they are missing or older than the lockfile. The runtime is taken straight from
 * its platform package, so it is found even where npm runs no install scripts.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, run } from '../bin/runtime.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** npm writes its own record of an install last, so an interrupted install has none. */
function installed() {
  const modules = join(root, 'node_modules');
  // A link leads to the modules of another checkout, and npm would remove them there.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  const record = join(modules, '.package-lock.json');
  return existsSync(record) && statSync(record).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

function install() {
  process.stderr.write('shelf: installing dependencies (once, about ten seconds) ...\n');
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
  // No dependency runs code at install time.
  const how = ['--include=dev', '--ignore-scripts', '--loglevel=error', '--prefer-offline'];
  const done = spawnSync('npm', ['ci', ...how], options);
  if (done.error) fail(`cannot run npm (${done.error.message}): install it and try again.`);
  if (done.status !== 0) fail('npm ci failed: its message is above. Check the network and try again.');
}

if (!installed()) install();
run(process.argv.slice(2));
