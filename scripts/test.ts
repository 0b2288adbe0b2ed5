/** npm test: sets up what the tests need, says what it does, and runs them all. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptInstall } from './apt.ts';
import { findBrowser, installBrowser } from './browser.ts';
import { systemTool } from './system-tool.ts';

// What comes between the server and its disk; without it those tests say that they were skipped.
if (systemTool('strace') === undefined) aptInstall('strace', 'the tests of a slow and a failing disk');
const found = findBrowser();
const browser = found === undefined ? installBrowser() : { path: found };
const missing = 'reason' in browser ? browser.reason : undefined;
if (missing !== undefined && process.env.CI) {
  process.stderr.write(`shelf: ${missing}; in CI no test may be skipped.\n`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'shelf-report-'));
const report = join(folder, 'report.xml');
const { exitCode } = Bun.spawnSync(
  [
    process.execPath,
    'test',
    '--timeout',
    '60000',
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    ...process.argv.slice(2),
  ],
  {
    cwd: join(import.meta.dir, '..'),
    env: { ...process.env, ...('path' in browser ? { CHROMIUM_PATH: browser.path } : {}) },
    stdio: ['inherit', 'inherit', 'inherit'],
  },
);

if (missing !== undefined) {
  process.stderr.write(
    `\n!!! SKIPPED: the browser tests did not run, because ${missing}.\n!!! Set CHROMIUM_PATH to run them.\n`,
  );
}
process.stdout.write(`${summary(report)}\n`);
rmSync(folder, { recursive: true });
process.exit(exitCode);

function summary(path: string): string {
  const head = /<testsuites [^>]*>/.exec(readFileSync(path, 'utf8'))?.[0] ?? '';
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  // A file that cannot be loaded is no failed test to the report, and is one to us.
  const failed = Math.max(count('failures'), exitCode === 0 ? 0 : 1);
  const skipped = count('skipped');
  return `${Math.max(count('tests') - failed - skipped, 0)} passed, ${failed} failed, ${skipped} skipped`;
}
