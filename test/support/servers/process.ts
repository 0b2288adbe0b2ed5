/** Runs the real command in its own process. */
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { threads } from './engine.ts';

export const root = join(import.meta.dir, '../../..');

export type Line = Readonly<Record<string, unknown>>;

export type Shelf = {
  readonly url: string;
  readonly pid: number;
  /** Waits for the next log line that matches, and returns it parsed. */
  line(fits: (line: Line) => boolean): Promise<Line>;
  /** Everything on standard output so far. */
  output(): string;
  errors(): Promise<string>;
  /** Closes the read end of the process's standard output. */
  stopReading(): Promise<void>;
  /** Signals the process and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number>;
  readonly exited: Promise<number>;
};

export type Options = {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly cwd?: string;
};

const { TESTED_SHELF } = process.env;
/** `npm test` builds the executable once; a test file that is run alone starts the source. */
export const command = TESTED_SHELF === undefined ? [process.execPath, join(root, 'src/cli/main.ts')] : [TESTED_SHELF];
/** The server does not inherit settings from the environment of the test run. PostgreSQL refuses more than one thread. */
function cleanEnv({ args = [], env = {} }: Options): Readonly<Record<string, string>> {
  const isPostgres = [...args, ...Object.values(env)].some((value) => value.startsWith('postgres'));
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, SHELF_THREADS: isPostgres ? '1' : threads, ...env };
}

/** Runs the command until it exits. */
export function runShelf(options: Options) {
  const { args = [], cwd = root } = options;
  return runCommand([...command, ...args], { cwd, env: cleanEnv(options) });
}

const running = new Set<{ kill(signal: number): void }>();
process.on('exit', () => {
  for (const child of running) child.kill(9);
});

/** Starts the command and waits until it logs that it listens. */
export async function startShelf(options: Options): Promise<Shelf> {
  const { args = [], cwd = root, command: given = command } = options;
  const child = Bun.spawn([...given, '--port', '0', '--log', 'json', '--drain', '0s', ...args], {
    cwd,
    env: cleanEnv(options),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  running.add(child);
  const exited = child.exited.then((code) => {
    running.delete(child);
    return code;
  });
  const errors = new Response(child.stderr).text();

  let output = '';
  const waiting = new Set<() => void>();
  const reader = child.stdout.getReader();
  const reading = (async () => {
    const decoder = new TextDecoder();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      output += decoder.decode(read.value, { stream: true });
      for (const wake of waiting) wake();
    }
  })();

  /** Resolves when there is more output; throws at the end of the output. */
  async function more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const ended = await Promise.race([promise.then(() => false), reading.then(() => true)]);
    waiting.delete(resolve);
    if (ended) throw new Error(`the server ended: ${output}${await errors}`);
  }

  let position = 0;
  async function line(fits: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const end = output.indexOf('\n', position);
      if (end >= 0) {
        const text = output.slice(position, end);
        position = end + 1;
        const parsed: Line = text.startsWith('{') ? JSON.parse(text) : {};
        if (fits(parsed)) return parsed;
        continue;
      }
      await more();
    }
  }

  while (!output.includes('/docs')) await more();
  return {
    url: /https?:[^\s"]+(?=\/docs)/.exec(output)?.[0] ?? '',
    pid: child.pid,
    line,
    output: () => output,
    errors: () => errors,
    stopReading: () => reader.cancel(),
    exited,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const code = await exited;
      await reading;
      return code;
    },
  };
}

/** The open files of a process: the name and size of each. */
export function openFilesOf(pid: number): { readonly name: string; readonly size: number }[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = `/proc/${pid}/fd/${fd}`;
      return [{ name: readlinkSync(path), size: statSync(path).size }];
    } catch {
      // The file was closed in the meantime.
      return [];
    }
  });
}

/** /proc lists a deleted file with its former name. */
export function spoolsOf(pid: number): { readonly size: number }[] {
  return openFilesOf(pid).filter(({ name }) => name.includes('/.shelf-'));
}
