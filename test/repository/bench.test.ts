/** The benchmarks: on a fresh clone they install their peers, and one short round has no failures. */
import { beforeAll, expect, test } from 'bun:test';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { withoutRootSettings } from '../../scripts/tools/npm-ci.ts';
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { browserPath } from '../support/pages/browser.ts';
import { cloneTo } from '../support/servers/clone.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';

/** It has no peers yet. What npm installs for Shelf itself is shared: test/deploy/fresh-clone.test.ts installs it. */
const clone = join(temporaryFolder(), 'clone');
beforeAll(() => {
  cloneTo(clone);
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
});

/** Without Node 24, an optional package that most of the time of an install goes to, and that no peer here runs on. */
const env = { ...withoutRootSettings(process.env), npm_config_omit: 'optional' };
const bench = (...args: string[]) =>
  runCommand([process.execPath, join(clone, 'bench/main.ts'), '--quick', ...args], { cwd: clone, env });

/** The load generator: as root, the benchmark installs it. */
const possible = systemTool('wrk') !== undefined || (process.platform === 'linux' && process.getuid?.() === 0);
if (!possible && process.env.CI) throw new Error('there is no wrk, and in CI no test may be skipped');

test.skipIf(!possible)(
  'a fresh clone measures itself and a peer from npm that has peer dependencies',
  async () => {
    const { stdout, stderr, code } = await bench('--peers', 'shelf,elysia', '--work', 'get');
    expect(`${stdout}${stderr}`).not.toContain('not measured');
    expect(stdout).toMatch(/^ {2}elysia +[\d,]+ /m);
    expect(code).toBe(0);
    const { summary } = JSON.parse(readFileSync(join(clone, 'bench/results/latest.json'), 'utf8'));
    expect(summary.map(({ peer, errors }: { peer: string; errors: number }) => `${peer} ${errors}`)).toEqual([
      'shelf 0',
      'elysia 0',
    ]);
  },
  180_000,
);

test.skipIf(!possible)(
  'a declared collection is measured, after a check of its answers',
  async () => {
    const { stdout, code } = await bench('--collections', '--peers', 'shelf', '--work', 'page');
    expect(stdout).toMatch(/^ {2}shelf +[\d,]+ /m);
    expect(code).toBe(0);
    const { summary } = JSON.parse(readFileSync(join(clone, 'bench/results/collections.json'), 'utf8'));
    expect(summary.map(({ work, errors }: { work: string; errors: number }) => `${work} ${errors}`)).toEqual([
      'page 0',
    ]);
  },
  180_000,
);

test.skipIf(!possible)(
  'TLS is measured beside plain HTTP',
  async () => {
    const { stdout, code } = await bench('--tls', '--peers', 'shelf', '--work', 'get');
    expect(stdout).toMatch(
      /^ {2}ok {4}get: shelf keeps over TLS: [\d.]+% of its plain throughput per processor second \([\d.]+ and [\d.]+ µs\), [\d.]+% as measured/m,
    );
    expect(code).toBe(0);
  },
  180_000,
);

test.skipIf(!possible)(
  'two serving threads are measured beside one, and so is what each thread spends',
  async () => {
    const peers = 'shelf,shelf 2 threads';
    const compared = await bench('--cores', 'all', '--threads', '2', '--peers', peers, '--work', 'get');
    expect(compared.stdout).toMatch(/^ {2}shelf 2 threads +[\d,]+ /m);
    expect(compared.stdout).toMatch(/get: processor time per request, 2 threads and one: [\d.]+ and [\d.]+ µs/);
    expect(compared.code).toBe(0);
    const { stdout, code } = await bench('--profile', '--threads', '2');
    for (const [serving, lines] of [
      ['one serving thread', 1],
      ['2 serving threads', 2],
    ] as const) {
      const heading = stdout.split('\n').filter((line) => line.includes(serving));
      expect(heading).toHaveLength(3);
      const post = stdout.split('\n\n').find((text) => text.includes(`POST an item, ${serving}`)) ?? '';
      expect(post.match(/^ {2}(first|shelf) serving +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$/gm)).toHaveLength(lines);
      expect(post).toMatch(/^ {2}shelf writer +[\d.]+ /m);
    }
    expect(code).toBe(0);
  },
  180_000,
);

test.skipIf(!possible)(
  'the memory of two serving threads is measured beside that of one',
  async () => {
    const { stdout, code } = await bench('--memory');
    expect(stdout).toMatch(/^ +1 +\d+k +\d+ +\d+ +\d+$/m);
    expect(stdout).toMatch(/^ +2 +\d+k +\d+ +\d+ +\d+ +-?\d+$/m);
    expect(code).toBe(0);
  },
  180_000,
);

test.skipIf(!possible)(
  'single records among many are measured beside those among a thousand',
  async () => {
    const { stdout, stderr } = await bench('--records', '5000');
    for (const found of [
      'GET one, random ids, 5,000 and 1,000 items: [\\d,]+ and [\\d,]+ a second: [\\d.]+x',
      'its p99: [\\d.]+ and [\\d.]+ ms: [\\d.]+x',
      'GET one, 1% of the ids get 90% of the reads, 5,000 and 1,000 items: ',
      'start with 5,000 items, to the first answer: \\d+ ms',
    ])
      expect(`${stdout}${stderr}`).toMatch(new RegExp(`^  (ok  |MISS)  ${found}`, 'm'));
  },
  180_000,
);

test('the client is measured beside fetch, on Bun and on Node', async () => {
  const command = [process.execPath, join(root, 'bench/main.ts'), '--client', '--quick'];
  const { stdout, code } = await runCommand(command, { cwd: root });
  for (const work of ['GET one', 'list of 100', 'create'])
    for (const runtime of ['Bun', 'Node'])
      expect(stdout).toMatch(new RegExp(`^  (ok  |MISS)  ${work}, on ${runtime}: [\\d.]+x the time of fetch`, 'm'));
  expect(code).toBe(0);
}, 180_000);

test.skipIf(browserPath === undefined)(
  'the console is measured in Chromium: its size, its speed, and its memory with a busy feed',
  async () => {
    const command = [process.execPath, join(root, 'bench/main.ts'), '--console', '--quick'];
    const { stdout, stderr, code } = await runCommand(command, { cwd: root });
    for (const found of [
      'script, compressed: [\\d.]+ KB',
      'first paint: \\d+ ms',
      'first rows of 5,000 records, from the address on: \\d+ ms',
      'scrolling through 5,000 records: \\d+ frames a second',
      'memory of the page after 2 s of a live feed, [\\d,]+ changes: [\\d.]+ MB',
    ])
      expect(stdout).toMatch(new RegExp(`^  (ok  |MISS)  ${found}`, 'm'));
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  },
  180_000,
);

test.skipIf(!possible)(
  'the cost of reads to the primary is measured with and without standbys',
  async () => {
    const { stdout, code } = await bench('--replicas', '--work', 'one');
    expect(stdout).toMatch(
      /GET one item: [\d.]+; [\d.]+ µs of the primary per request without standbys at [\d,]+ per second, [\d.]+ µs .* with standbys/,
    );
    expect(code).toBe(0);
  },
  180_000,
);

test.skipIf(!possible)(
  // Without PocketBase: a machine that has no cache of Go compiles it for minutes.
  'queries are measured, after a check of their answers',
  async () => {
    const { stdout, code } = await bench('--queries', '--peers', 'shelf');
    expect(stdout).toMatch(
      /^ {2}(ok {2}|MISS) {2}a summary of 20,000 records by a choice.*: [\d.]+x the time of the sqlite3 shell/m,
    );
    expect(stdout).toMatch(
      /^ {2}(ok {2}|MISS) {2}the p99 of GET one beside 16 summaries \(\d+ were answered, 0 errors\)/m,
    );
    expect(code).toBe(0);
  },
  180_000,
);
