/** Runs the tests against a mutant, the most likely killers first, and stops at the first failure. */
import { join } from 'node:path';

/** The time-out of a test run: `times` its usual duration plus `ms` milliseconds. */
const patience = { times: 3, ms: 20_000 };
/** The first files run alone; the rest run in groups, which saves start-up time if the mutant survives. */
const oneByOne = 5;
const together = 10;

export type Ran = { readonly passed: boolean; readonly ms: number; readonly failedIn: string | undefined };

/** Where the tests run: in a copy of the repository, until the signal is aborted. */
export type Place = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};

/** Runs test files and then kills every process that is still running. Throws if the signal is aborted. */
export async function runTests(
  { folder, env, signal }: Place,
  files: readonly string[],
  maxMs = Number.POSITIVE_INFINITY,
): Promise<Ran> {
  signal.throwIfAborted();
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
  const timer = maxMs < Number.POSITIVE_INFINITY ? setTimeout(() => endGroup(child.pid), maxMs) : undefined;
  const end = () => endGroup(child.pid);
  signal.addEventListener('abort', end);
  const output = new Response(child.stderr).text();
  const code = await child.exited;
  signal.removeEventListener('abort', end);
  clearTimeout(timer);
  endGroup(child.pid);
  signal.throwIfAborted();
  return {
    passed: code === 0,
    ms: performance.now() - began,
    failedIn: code === 0 ? undefined : fileAtFault(await output),
  };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: no process of the group is left.
  }
}

/** The last file name that `bun test` printed before the first failure. */
export function fileAtFault(output: string): string | undefined {
  const lines = output.split('\n');
  const failure = lines.findIndex((line) => /^\(fail\)|^error: |^# Unhandled/.test(line));
  const before = failure < 0 ? lines : lines.slice(0, failure);
  return before.map((line) => /^(?:\.\/)?(\S+\.test\.ts):$/.exec(line)?.[1]).findLast((name) => name !== undefined);
}

/** A test file, its usual duration, and the functions it executes. */
export type TestFile = { readonly file: string; readonly ms: number; readonly calls: ReadonlySet<string> };

export class Suite {
  /** Kills per test file and source file, and per test file and source folder. */
  readonly #kills = new Map<string, number>();

  constructor(readonly tests: readonly TestFile[]) {}

  /**
   * Runs the tests that execute the function `mutated` in the file `source`, as many as usually fit into `maxMs`
   * together. Returns the test file that killed the mutant, `hung` for a time-out, or undefined if the mutant survived.
   */
  async judge(place: Place, source: string, mutated: string, maxMs: number): Promise<string | undefined> {
    let left = maxMs;
    const tests = this.#inOrder(source, mutated).filter(({ ms }) => {
      if (ms > left) return false;
      left -= ms;
      return true;
    });
    for (let at = 0, count = 1; at < tests.length; at += count) {
      count = at < oneByOne ? 1 : together;
      const some = tests.slice(at, at + count);
      const usual = some.reduce((sum, { ms }) => sum + ms, 0);
      const files = some.map(({ file }) => file);
      const { passed, failedIn } = await runTests(place, files, usual * patience.times + patience.ms);
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
      this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
    }
  }

  /** The tests that execute the mutated function, sorted by earlier kills, then by duration. */
  #inOrder(source: string, mutated: string): TestFile[] {
    const kills = ({ file }: TestFile) =>
      10 * (this.#kills.get(`${file} ${source}`) ?? 0) + (this.#kills.get(`${file} ${join(source, '..')}`) ?? 0);
    return this.tests.filter(({ calls }) => calls.has(mutated)).sort((a, b) => kills(b) - kills(a) || a.ms - b.ms);
  }
}
