/** Finds the Bun runtime among the installed packages, and runs it as this process. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export function fail(message) {
  process.stderr.write(`shelf: ${message}\n`);
  process.exit(1);
}

/**
 * The binary in the package of this platform, so that it is found even where npm runs no install scripts; or where the
 * install script of `bun` has moved it.
 */
function candidates() {
  const manifest = resolveFrom(import.meta.url, 'bun/package.json');
  if (manifest === undefined) return [];
  const { optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  const platforms = Object.keys(optionalDependencies)
    .map((name) => resolveFrom(manifest, `${name}/package.json`))
    .filter((path) => path !== undefined)
    .map((path) => join(dirname(path), 'bin', 'bun'));
  return [...platforms, join(dirname(manifest), 'bin', 'bun.exe')];
}

function resolveFrom(file, name) {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}

export function runtime() {
  // A package for another C library is installed, too, and does not run.
  const runs = candidates().find((path) => existsSync(path) && spawnSync(path, ['--version']).status === 0);
  return runs ?? fail(`the Bun runtime is not available for ${process.platform} ${process.arch}.`);
}

/** npx ends its shell on SIGTERM and does not pass the signal on: without this, the command would run on. */
function onOrphaned(stop) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, 500).unref();
}

/** Signals and the exit code are passed on. */
export function run(args) {
  const child = spawn(runtime(), args, { stdio: 'inherit' });
  // A terminal sends Ctrl-C to the child as well; the server treats signals that arrive together as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_command === 'exec') onOrphaned(() => child.kill('SIGTERM'));
  child.on('error', (error) => fail(`cannot start the runtime: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 1));
}
