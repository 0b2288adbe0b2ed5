/** The tests, as a judge of mutants: those that are likely to notice come first, and the first that does ends it. */
import { join } from 'node:path';

/** What did not end within this many times its usual time, and this many milliseconds more, hangs. */
const patience = { times: 3, ms: 20_000 };
/** So many of the likeliest files run one by one, the others together, which is faster if none of them notices. */
const oneByOne = 5;
const together = 10;

export type Ran = { readonly passed: boolean; readonly ms: number; readonly failedIn: string | undefined };

/** Runs test files in a copy of the repository. Whatever they have started is gone afterwards. */
export async function runTests(
  folder: string,
  files: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<Ran> {
  const began = performance.now();
  const child = Bun.spawn(
    [process.execPath, 'test', '--bail', '--timeout', '60000', ...files.map((file) => `./${file}`)],
    {
      cwd: folder,
      env,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      detached: true,
    },
  );
  const timer = mostMs < Number.POSITIVE_INFINITY ? setTimeout(() => endGroup(child.pid), mostMs) : undefined;
  const said = new Response(child.stderr).text();
  const code = await child.exited;
  clearTimeout(timer);
  endGroup(child.pid);
  return {
    passed: code === 0,
    ms: performance.now() - began,
    failedIn: code === 0 ? undefined : fileAtFault(await said),
  };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended by itself.
  }
}

/** The file whose name stands last before the first failure. */
export function fileAtFault(said: string): string | undefined {
  const lines = said.split('\n');
  const failure = lines.findIndex((line) => /^\(fail\)|^error: |^# Unhandled/.test(line));
  const before = failure < 0 ? lines : lines.slice(0, failure);
  return before.map((line) => /^(?:\.\/)?(\S+\.test\.ts):$/.exec(line)?.[1]).findLast((name) => name !== undefined);
}

/** A test file, how long it usually takes, and what it reaches. */
export type TestFile = { readonly file: string; readonly ms: number; readonly reaches: ReadonlySet<string> };

/** A test that reaches no more files than this is about them. */
const fewFiles = 40;

/** Whatever starts a server as a process of its own reaches all of it. */
const startsProcesses = 'test/process.ts';

export class Suite {
  /** How often a test file has noticed a mutant of a source file, or of one beside it. */
  readonly #noticed = new Map<string, number>();

  constructor(readonly tests: readonly TestFile[]) {}

  /** Answers the test file that has noticed, `hung` where none ended, and undefined where the mutant has survived. */
  async judge(
    folder: string,
    source: string,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<string | undefined> {
    const tests = this.#inOrder(source);
    for (let at = 0, count = 1; at < tests.length; at += count) {
      count = at < oneByOne ? 1 : together;
      const some = tests.slice(at, at + count);
      const usual = some.reduce((sum, { ms }) => sum + ms, 0);
      const files = some.map(({ file }) => file);
      const { passed, failedIn } = await runTests(folder, files, env, usual * patience.times + patience.ms);
      if (passed) continue;
      const by = count === 1 ? files[0] : failedIn;
      if (by !== undefined) this.#note(by, source);
      return by ?? 'hung';
    }
    return undefined;
  }

  #note(by: string, source: string): void {
    for (const place of [source, join(source, '..')]) {
      const key = `${by} ${place}`;
      this.#noticed.set(key, (this.#noticed.get(key) ?? 0) + 1);
    }
  }

  /** Those that have noticed before, then those of this file and few others, then the fastest. */
  #inOrder(source: string): TestFile[] {
    const noticed = ({ file }: TestFile) =>
      10 * (this.#noticed.get(`${file} ${source}`) ?? 0) + (this.#noticed.get(`${file} ${join(source, '..')}`) ?? 0);
    const isAboutIt = ({ reaches }: TestFile) => reaches.has(source) && reaches.size <= fewFiles;
    return this.tests
      .filter(({ reaches }) => reaches.has(source) || reaches.has(startsProcesses))
      .sort(
        (a, b) =>
          noticed(b) - noticed(a) ||
          Number(isAboutIt(b)) - Number(isAboutIt(a)) ||
          Number(b.reaches.has(source)) - Number(a.reaches.has(source)) ||
          a.ms - b.ms,
      );
  }
}
