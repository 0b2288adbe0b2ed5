/** npm test: installs and starts the tools that the tests need, and runs all tests. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresBinaries } from '../test/postgres/binaries.ts';
import { Cluster, withoutSyncs } from '../test/postgres/cluster.ts';
import { newDatabase } from '../test/postgres/database.ts';
import { buildExecutable } from './build-executable.ts';
import { buildThreads } from './build-threads.ts';
import { chosenFiles, TestProgress } from './test-progress.ts';
import { aptInstall } from './tools/apt.ts';
import { testBrowser } from './tools/browser.ts';
import { systemPath, systemTool } from './tools/system-tool.ts';

const root = join(import.meta.dir, '..');
/** For all tests, on two cores. */
const usualMinutes = 12;
/** In bytes, for a PostgreSQL whose files are in memory. */
const leastMemory = 16 * 2 ** 30;
/** Files that run a second time if they fail; more of them have one cause. */
const mostRepeated = 5;

// Without these tools, the tests that need them report that they were skipped.
if (systemTool('strace') === undefined) aptInstall('strace', 'the tests of a slow and a failing disk');
if (systemTool('pgbouncer') === undefined) aptInstall('pgbouncer', 'the test with a connection pooler');
if (systemTool('openssl') === undefined) aptInstall('openssl', 'the test of TLS protocols and ciphers');
if (systemTool('nginx') === undefined) aptInstall('nginx-light', 'the test of rolling restarts');
if (systemTool('haproxy') === undefined) aptInstall('haproxy', 'the test of rolling restarts');
const browser = testBrowser();
const missing = 'reason' in browser ? browser.reason : undefined;
if (missing !== undefined && process.env.CI) {
  process.stderr.write(`shelf: ${missing}; in CI no test may be skipped.\n`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'shelf-report-'));
const databases = folderForDatabases();
// Tests start the command hundreds of times, and the executable takes a third of the processor time of the source. They also start servers in their own process, with their threads.
const [executable, threads] = [join(folder, 'shelf'), join(folder, 'threads')];
await Promise.all([buildExecutable(executable), buildThreads(threads)]);
// After them: a build that fails leaves no server.
const postgres = await startPostgres();
if ('reason' in postgres && process.env.CI) {
  process.stderr.write(`shelf: PostgreSQL is not available: ${postgres.reason}; in CI no test may be skipped.\n`);
  process.exit(1);
}

// A signal alone would leave the server and its files.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, async () => {
    if ('stop' in postgres) await postgres.stop();
    rmSync(folder, { recursive: true });
    process.exit(1);
  });

const given = process.argv.slice(2);
const files = [
  ...new Bun.Glob('{bench,conformance,console,mutate,scripts,src,test,torture}/**/*.test.ts').scanSync(root),
].filter((file) => !file.includes('node_modules'));
const total = chosenFiles(files, given);
const minutes = total === files.length ? `: about ${usualMinutes} minutes on two cores` : '';
if (total !== undefined) process.stdout.write(`${total} test files${minutes}.\n`);
// Before the tests: a process does not find packages that are installed while it runs, and two would install them at the same time.
if (total === files.length) await import('../test/kubernetes/schemas.ts');
const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 1000);

const report = join(folder, 'report.xml');
const migrated = 'url' in postgres ? await migratedDatabase(postgres.url) : undefined;
// Tests also wait, for servers and disks, so there are more files at a time than cores. `--timings` starts the slowest files first, so that none runs alone at the end.
const all = ['--parallel=5', `--timings=${join(root, 'scripts/slow-tests.json')}`];
const progress = new TestProgress(total, (text) => process.stderr.write(text), seconds);
let exitCode = await runTests(progress, [...all, '--reporter=junit', `--reporter-outfile=${report}`, ...given]);
// The first failure may be thousands of lines above.
for (const failure of progress.failures) process.stderr.write(`\n${failure}\n`);
// A test that fails only beside others is a fault, but not one of the change that is tested: it is named, and does not stop it.
const { failedFiles } = progress;
if (exitCode !== 0 && failedFiles.length > 0 && failedFiles.length <= mostRepeated) {
  process.stderr.write(`\nAgain, one after the other: ${failedFiles.join(', ')}\n`);
  const again = new TestProgress(failedFiles.length, (text) => process.stderr.write(text), seconds);
  exitCode = await runTests(again, failedFiles);
  if (exitCode === 0) process.stderr.write(`\n!!! FAILED ONCE, then passed alone: ${failedFiles.join(', ')}\n`);
}
if ('stop' in postgres) await postgres.stop();
if ('reason' in postgres) {
  process.stderr.write(
    `\n!!! SKIPPED: the tests on PostgreSQL did not run, because ${postgres.reason}.\n!!! Set POSTGRES_URL to run them.\n`,
  );
}
if (missing !== undefined) {
  process.stderr.write(
    `\n!!! SKIPPED: the browser tests did not run, because ${missing}.\n!!! Set CHROMIUM_PATH to run them.\n`,
  );
}
process.stdout.write(`${summary(report)}, in ${seconds()} s\n`);
rmSync(folder, { recursive: true });
process.exit(exitCode);

/** Runs `bun test` with these arguments; its output goes through `progress`. Resolves with the exit code. */
async function runTests(progress: TestProgress, chosen: readonly string[]): Promise<number> {
  const preload = `--preload=${join(root, 'test/support/threads/built-threads.ts')}`;
  const child = Bun.spawn([process.execPath, 'test', '--timeout=60000', preload, ...chosen], {
    cwd: root,
    env: {
      ...process.env,
      PATH: systemPath,
      TESTED_SHELF: executable,
      TESTED_THREADS: threads,
      TESTED_CLUSTERS: databases,
      // Bun writes to a pipe, but its output may end up on a terminal.
      ...(process.stderr.isTTY && process.env.NO_COLOR === undefined ? { FORCE_COLOR: '1' } : {}),
      ...('path' in browser ? { CHROMIUM_PATH: browser.path } : {}),
      ...('url' in postgres ? { POSTGRES_URL: postgres.url } : {}),
      ...(migrated === undefined ? {} : { TESTED_DATABASE: migrated }),
    },
    stdio: ['inherit', 'inherit', 'pipe'],
  });
  const decoder = new TextDecoder();
  const passed = (async () => {
    for await (const part of child.stderr) progress.take(decoder.decode(part, { stream: true }));
  })();
  const code = await child.exited;
  // A process that a test has not stopped may keep the pipe open.
  await Promise.race([passed, Bun.sleep(1000)]);
  progress.end();
  return code;
}

/** The server of POSTGRES_URL, or a new one for the duration of the tests. */
async function startPostgres(): Promise<{ url: string; stop?(): Promise<void> } | { reason: string }> {
  const { POSTGRES_URL } = process.env;
  if (POSTGRES_URL) return { url: POSTGRES_URL };
  const binaries = postgresBinaries();
  if ('reason' in binaries) return binaries;
  try {
    // PostgreSQL starts a worker for each database within this time, and the tests make hundreds of databases.
    const settings = { ...withoutSyncs, autovacuum_naptime: '1d' };
    const cluster = await new Cluster(settings, undefined, databases).start();
    return { url: cluster.url(), stop: () => cluster.remove() };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * In memory if there is plenty of it: to make a database is to copy 300 files, which takes a third of the processor time there.
 * All tests together make a thousand databases of 9 MB.
 */
function folderForDatabases(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory) || !existsSync('/proc/meminfo')) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  const available = Number(/^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0) * 1024;
  return Math.min(bavail * bsize, available) >= leastMemory ? memory : tmpdir();
}

/** The name of a database with the tables of the contract, which tests copy. */
async function migratedDatabase(server: string): Promise<string> {
  const url = await newDatabase(server);
  // Without the settings of this shell: PostgreSQL refuses a second thread, for one.
  const command = [executable, 'migrate', '--database', url];
  const { exitCode, stderr } = Bun.spawnSync(command, { env: {}, stdout: 'ignore', stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`the tables for the tests on PostgreSQL cannot be made: ${stderr}`);
  return new URL(url).pathname.slice(1);
}

function summary(path: string): string {
  const head = /<testsuites [^>]*>/.exec(readFileSync(path, 'utf8'))?.[0] ?? '';
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  // The report does not count a file that cannot be loaded as a failed test; we do.
  const failed = exitCode === 0 ? 0 : Math.max(count('failures'), 1);
  const skipped = count('skipped');
  return `${Math.max(count('tests') - failed - skipped, 0)} passed, ${failed} failed, ${skipped} skipped`;
}
