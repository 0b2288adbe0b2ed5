/** The real command in a process of its own. */
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';

export const root = join(import.meta.dir, '..');

export type Line = Readonly<Record<string, unknown>>;

export type Shelf = {
  readonly url: string;
  readonly pid: number;
  /** The next line of the log that fits, parsed; waits for it. */
  line(fits: (line: Line) => boolean): Promise<Line>;
  /** Everything on standard output so far. */
  output(): string;
  errors(): Promise<string>;
  /** Closes the reading end of its standard output. */
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

export const command = [process.execPath, join(root, 'src/cli/main.ts')];
/** Nothing of the test run's own settings reaches the server. */
const cleanEnv = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };

/** Runs the command to its end. */
export function runShelf({ args = [], env = {}, cwd = root }: Options) {
  return runCommand([...command, ...args], { cwd, env: { ...cleanEnv, ...env } });
}

const running = new Set<{ kill(signal: number): void }>();
process.on('exit', () => {
  for (const child of running) child.kill(9);
});

/** Starts the command and waits until it says that it listens. */
export async function startShelf({
  args = [],
  env = {},
  cwd = root,
  command: given = command,
}: Options): Promise<Shelf> {
  const child = Bun.spawn([...given, '--port', '0', '--log', 'json', '--drain', '0s', ...args], {
    cwd,
    env: { ...cleanEnv, ...env },
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

  /** Resolves when there is more output, and throws when there will be none. */
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
    url: /http:[^\s"]+(?=\/docs)/.exec(output)?.[0] ?? '',
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

/** What a process has open: the name of each file, and its size. */
export function openFilesOf(pid: number): { readonly name: string; readonly size: number }[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = `/proc/${pid}/fd/${fd}`;
      return [{ name: readlinkSync(path), size: statSync(path).size }];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}

/** A file that has no name any more is listed with the one that it had. */
export function spoolsOf(pid: number): { readonly size: number }[] {
  return openFilesOf(pid).filter(({ name }) => name.includes('/.shelf-'));
}
