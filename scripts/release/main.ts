/**
 * npm run release [-- --dry-run] [FOLDER]: makes every file of a release in dist/release, from a clean clone of the last commit, and
 * runs those that can run here. Nothing is uploaded. With --dry-run the commit need not be ready to be released.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../server-entries.ts';
import { checksumFile } from './artifact.ts';
import { withoutExecutable } from './targets.ts';

const { version } = packageJson;
const dryRun = '--dry-run';

function git(...args: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...args], { cwd: root, stderr: 'pipe' });
  if (exitCode !== 0) fail(`git ${args[0]} failed: ${stderr.toString().trim()}`);
  return stdout.toString().trim();
}

function fail(message: string, code = 1): never {
  process.stderr.write(`shelf: ${message}\n`);
  process.exit(code);
}

/** Why the commit cannot be released yet. */
function notReady(): string[] {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const reasons = {
    [`the commit does not have the tag v${version}`]: !git('tag', '--points-at', 'HEAD')
      .split('\n')
      .includes(`v${version}`),
    [`CHANGELOG.md calls ${version} unreleased`]: changelog.includes(`## ${version} (unreleased)`),
    'there are changes that are not committed, and not in the release': git('status', '--porcelain') !== '',
    'package.json names no repository, so npm cannot prove where the packages come from': !(
      'repository' in packageJson
    ),
  };
  return Object.keys(reasons).filter((reason) => reasons[reason]);
}

/** Prints the output as it comes. */
async function run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<number> {
  return await Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  }).exited;
}

function list(folder: string): string {
  const sums = readFileSync(join(folder, checksumFile), 'utf8').trim().split('\n');
  const rows = sums.map((line) => {
    const [sum = '', file = ''] = line.split('  ');
    const megabytes = (statSync(join(folder, file)).size / 1e6).toFixed(2);
    return `${file.padEnd(44)}${megabytes.padStart(9)} MB  ${sum}`;
  });
  return `\n${rows.join('\n')}\n${withoutExecutable}\n\n`;
}

const args = process.argv.slice(2);
const isDry = args.includes(dryRun);
const words = args.filter((arg) => arg !== dryRun);
if (words.length > 1 || words[0]?.startsWith('-')) fail('Usage: npm run release [-- --dry-run] [FOLDER]', 2);
const folder = resolve(root, words[0] ?? 'dist/release');

if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, checksumFile)))
  fail(`${folder} has files that are not of a release: choose an empty folder.`);
const reasons = notReady();
for (const reason of reasons) process.stderr.write(`shelf: ${isDry ? 'not ready' : 'cannot release'}: ${reason}.\n`);
if (reasons.length > 0 && !isDry) fail('--dry-run makes the files all the same.');

const [revision = '', date = ''] = git('log', '-1', '--format=%H %ct').split(' ');
const clone = mkdtempSync(join(tmpdir(), 'shelf-release-'));
process.on('exit', () => rmSync(clone, { recursive: true, force: true }));
rmSync(folder, { recursive: true, force: true });
git('clone', '--quiet', root, clone);
git('-C', clone, 'checkout', '--quiet', revision);
const cache = { SHELF_RELEASE_CACHE: join(root, 'dist/cache') };
const made = await run(['node', 'scripts/run.mjs', 'scripts/release/make.ts', folder, revision, date], clone, cache);
if (made !== 0) fail('the release could not be made.');
process.stdout.write(list(folder));

// Each artifact that this machine can run is a test that passes, and each other one is a test that is skipped, with the reason.
const tests = readdirSync(join(root, 'test/artifacts')).filter((name) => name.endsWith('.test.ts'));
const files = tests.map((name) => join('test/artifacts', name));
const tried = await run([process.execPath, 'test', '--timeout=120000', ...files], root, { ...cache, RELEASED: folder });
process.exit(tried);
