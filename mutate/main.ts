/**
 * npm run mutate [-- --sample N] [-- --seed N] [-- --jobs N] [-- --since REVISION] [-- --survivors]: mutation testing. Applies one
 * small change to the source at a time, runs test files that execute it, for half a minute, and reports the mutants that survive.
 * `--since` takes only files that have changed since a revision. `--survivors` tests the survivors again, with all test files that
 * execute them.
 *
 * `equivalent.json` lists the mutants that behave like the original, each with the reason. They do not count.
 *
 * Results are appended to `mutate/judged.jsonl`, so an interrupted run resumes. Delete the file to start over.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster } from '../test/postgres/cluster.ts';
import { Random } from '../test/support/data/random.ts';
import { cloneTo } from '../test/support/servers/clone.ts';
import { runCommand } from '../test/support/servers/command.ts';
import { functionAround, instrumented } from './coverage.ts';
import equivalents from './equivalent.json' with { type: 'json' };
import { linesOf, type Mutant, mutantsOf, mutated } from './mutants.ts';
import { type Place, runTests, Suite, type TestFile } from './suite.ts';

const root = join(import.meta.dir, '..');
const judgedFile = join(import.meta.dir, 'judged.jsonl');

/** Slow tests of packaging, of the console in a browser, of documentation and of endurance; they rarely kill a mutant. */
const excluded =
  /^test\/(?:(?:artifacts|console|deploy|repository|torture)\/|openapi\/(?:generators|openapi-clients)\.|.*docs(?:-pages)?\.test\.ts$)/;
/** The time for the tests of a mutant, in milliseconds. */
const usualTestsMs = 30_000;

type Case = Mutant & { readonly file: string; readonly line: number; readonly was: string; readonly is: string };
/** Recorded as the killer of a mutant that does not compile, which `npm run check` would refuse before any test. */
const compiler = 'tsc';
/** `by` is the test file that failed, or the compiler; null if the mutant survived. */
type Judged = Pick<Case, 'file' | 'was' | 'is'> & { readonly by: string | null };

const flag = (name: string, otherwise: number) => {
  const at = process.argv.indexOf(name);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (Number.isInteger(value) && value > 0) return value;
  process.stderr.write(
    `mutate: ${name} expects a whole number of at least 1, got ${JSON.stringify(process.argv[at + 1] ?? '')}.\n`,
  );
  process.exit(1);
};
const say = (text: string) => process.stderr.write(`\r\u001b[K${text}`);
const jobs = flag('--jobs', availableParallelism());
const seed = flag('--seed', 1);
const judged = new Map(readJudged().map((one) => [identityOf(one), one.by]));
const sampled = new Random(seed).shuffled(allCases()).slice(0, flag('--sample', 300));
const again = process.argv.includes('--survivors');
/** A test file that takes longer would not be run, so the first pass does not wait for it. */
const maxTestMs = again ? 120_000 : usualTestsMs;
const equivalent = new Set(equivalents.map(identityOf));
const counted = sampled.filter((one) => !equivalent.has(identityOf(one)));
const cases = counted.filter((one) => {
  const by = judged.get(identityOf(one));
  return by === undefined || (again && by === null);
});

const folder = mkdtempSync(join(tmpdir(), 'shelf-mutate-'));
const copies = Array.from({ length: jobs }, (_, number) => {
  const copy = join(folder, String(number));
  cloneTo(copy);
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
});
const cluster = await new Cluster({ fsync: 'off' }).start();
const env = { ...process.env, POSTGRES_URL: cluster.url(), CI: undefined };
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort(signal));
try {
  if (cases.length > 0) await judgeAll(new Suite(await testFiles()));
  report();
} catch (error) {
  if (!interrupted.signal.aborted) throw error;
  process.exitCode = 1;
} finally {
  await cluster.remove();
  rmSync(folder, { recursive: true, force: true });
}

function sourceFiles(): string[] {
  return [...new Bun.Glob('src/**/*.ts').scanSync(root)].filter((file) => !/\.(test|d)\.ts$/.test(file)).sort();
}

/** Undefined without `--since`. */
function changedFiles(): ReadonlySet<string> | undefined {
  const at = process.argv.indexOf('--since');
  if (at < 0) return undefined;
  const revision = process.argv[at + 1] ?? '';
  const git = Bun.spawnSync(['git', 'diff', '--name-only', revision, '--', 'src'], { cwd: root, stderr: 'pipe' });
  if (git.exitCode === 0) return new Set(git.stdout.toString().split('\n'));
  process.stderr.write(`mutate: --since ${revision}: ${git.stderr.toString().trim()}\n`);
  process.exit(1);
}

function allCases(): Case[] {
  const changed = changedFiles();
  const files = sourceFiles().filter((file) => changed?.has(file) ?? true);
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return mutantsOf(source).map((mutant) => ({ ...mutant, ...linesOf(source, mutant), file }));
  });
}

function readJudged(): Judged[] {
  if (!existsSync(judgedFile)) return [];
  const lines = readFileSync(judgedFile, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

function identityOf({ file, was, is }: Pick<Case, 'file' | 'was' | 'is'>): string {
  return JSON.stringify([file, was, is]);
}

/** Runs each test file without a mutant, to learn what it executes and how long it takes. One that fails or takes too long is not used. */
async function testFiles(): Promise<TestFile[]> {
  const files = [...new Bun.Glob('{src,test}/**/*.test.ts').scanSync(root)]
    .filter((file) => !excluded.test(file) && !file.includes('node_modules/'))
    .sort();
  for (const copy of copies) writeSources(copy, (source, file) => instrumented(source, file, callsFile(copy)));
  const tests: TestFile[] = [];
  const leftOut: string[] = [];
  await inParallel(files, async (file, place) => {
    say(`${tests.length + leftOut.length} of ${files.length} test files  ${file}`);
    writeFileSync(callsFile(place.folder), '');
    const { passed, ms } = await runTests(place, [file], maxTestMs);
    const calls = new Set(readFileSync(callsFile(place.folder), 'utf8').split('\n'));
    if (passed) tests.push({ file, ms, calls });
    else leftOut.push(file);
  });
  for (const copy of copies) writeSources(copy, (source) => source);
  say(`not used, because they fail or take too long: ${leftOut.sort().join(', ') || 'none'}\n`);
  return tests;
}

/** Where the instrumented code in a copy reports what it executes. */
function callsFile(copy: string): string {
  return `${copy}.calls`;
}

function writeSources(copy: string, change: (source: string, file: string) => string): void {
  for (const file of sourceFiles())
    writeFileSync(join(copy, file), change(readFileSync(join(root, file), 'utf8'), file));
}

async function judgeAll(suite: Suite): Promise<void> {
  let done = 0;
  await inParallel(cases, async (one, place) => {
    const path = join(place.folder, one.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, mutated(source, one));
    const by = (await compiles(place.folder))
      ? ((await suite.judge(
          place,
          one.file,
          functionAround(source, one.file, one.start),
          again ? Number.POSITIVE_INFINITY : usualTestsMs,
        )) ?? null)
      : compiler;
    writeFileSync(path, source);
    const { file, line, was, is } = one;
    judged.set(identityOf(one), by);
    appendFileSync(judgedFile, `${JSON.stringify({ file, was, is, by } satisfies Judged)}\n`);
    done++;
    say(
      `${done} of ${cases.length}  ${file}:${line}\n    ${was}\n    ${is}\n    ${by === null ? 'SURVIVED' : `killed by ${by}`}\n`,
    );
  });
}

/** Checks the types of src alone, which takes a quarter of the time. A mutant that just leaves a name unused is left to the tests. */
async function compiles(copy: string): Promise<boolean> {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const project = ['-p', join('mutate', 'source.tsconfig.json')];
  const lenient = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false', '--allowUnreachableCode', 'true'];
  const cached = ['--incremental', '--tsBuildInfoFile', `${copy}.tsbuildinfo`];
  return (await runCommand([tsc, ...project, ...lenient, ...cached], { cwd: copy })).code === 0;
}

async function inParallel<Value>(
  values: readonly Value[],
  work: (value: Value, place: Place) => Promise<void>,
): Promise<void> {
  const left = values.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const value of left) await work(value, { folder: copy, env, signal: interrupted.signal });
    }),
  );
}

function report(): void {
  const survivors = counted.filter((one) => judged.get(identityOf(one)) === null);
  say('');
  for (const { file, line, was, is } of survivors) process.stdout.write(`${file}:${line}\n  ${was}\n  ${is}\n`);
  const killed = counted.length - survivors.length;
  const uncompiled = counted.filter((one) => judged.get(identityOf(one)) === compiler).length;
  const percent = (part: number, whole: number) =>
    `${part} of ${whole} (${((100 * part) / Math.max(whole, 1)).toFixed(1)}%)`;
  process.stdout.write(
    `${sampled.length} mutants with seed ${seed}, ${sampled.length - counted.length} of them equivalent: killed ${percent(killed, counted.length)}.\n` +
      `${uncompiled} do not compile; of the others the tests killed ${percent(killed - uncompiled, counted.length - uncompiled)}.\n`,
  );
}
