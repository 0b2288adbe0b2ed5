/**
 * Runs a TypeScript file, or any command of the runtime, on a machine that has only Node and npm:
 *   node scripts/run.mjs src/cli/main.ts --port 9000
 * Installs the dependencies first when they are missing or older than the lockfile. The runtime is taken straight from
 * its platform package, so it is found even where npm runs no install scripts.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function fail(message) {
  process.stderr.write(`shelf: ${message}\n`);
  process.exit(1);
}

/** npm writes its own record of an install last, so an interrupted install has none. */
function installed() {
  const record = join(root, 'node_modules', '.package-lock.json');
  return existsSync(record) && statSync(record).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

function install() {
  process.stderr.write('shelf: installing dependencies (once, about ten seconds) ...\n');
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
  const done = spawnSync('npm', ['ci', '--include=dev', '--loglevel=error', '--prefer-offline'], options);
  if (done.error) fail(`cannot run npm (${done.error.message}): install it and try again.`);
  if (done.status !== 0) fail('npm ci failed: its message is above. Check the network and try again.');
}

/** If install scripts run, Bun's own script moves the binary out of the platform package. */
function runtime() {
  const modules = join(root, 'node_modules');
  const folder = join(modules, '@oven');
  const packages = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, 'bin', 'bun')) : [];
  const candidates = [...packages, join(modules, 'bun', 'bin', 'bun.exe')];
  const runs = candidates.find((path) => existsSync(path) && spawnSync(path, ['--version']).status === 0);
  return runs ?? fail(`the Bun runtime is not available for ${process.platform} ${process.arch}.`);
}

if (!installed()) install();
const child = spawn(runtime(), process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends Ctrl-C to the child as well; the server treats signals that arrive together as one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => fail(`cannot start the runtime: ${error.message}`));
child.on('exit', (code, signal) => process.exit(signal === null ? code : 1));
