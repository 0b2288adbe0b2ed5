/** Runs wrk on the second core, and measures the server meanwhile. */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { toolPath } from '../../scripts/tools/system-tool.ts';
import type { Server } from '../servers/launch.ts';

export const loadCore = '1';

export type Sample = {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
  readonly rssMb: number;
  /** The share of one core. */
  readonly cpu: number;
};

/** The requests of wrk. A Lua script, because ids and bodies vary. */
export type Script = { readonly name: string; readonly lua: string; readonly path: string };

export async function load(
  server: Server,
  { name, lua, path }: Script,
  seconds: number,
  folder: string,
): Promise<Sample> {
  const script = join(folder, `${name}.lua`);
  writeFileSync(script, lua);
  const { cores, connections } = server.load ?? { cores: loadCore, connections: 64 };
  // One thread of wrk loads several cores of a server.
  const threads = cores === loadCore ? 1 : Math.ceil(availableParallelism() / 4);
  const wrk = [
    toolPath('wrk'),
    `-t${threads}`,
    `-c${connections}`,
    `-d${Math.ceil(seconds)}s`,
    '--timeout',
    '20s',
    '--latency',
    '-s',
    script,
    server.base + path,
  ];
  const before = cpuTicks(server.pid);
  const child = Bun.spawn([toolPath('taskset'), '-c', cores, ...wrk], { stdout: 'pipe', stderr: 'pipe' });
  if (!Number.isInteger(seconds)) await interruptAfter(child, seconds);
  const text = await new Response(child.stdout).text();
  const cpu = (cpuTicks(server.pid) - before) / 100 / seconds;
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const socketErrors =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text)?.slice(1) ?? [];
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50: milliseconds(/^\s+50%\s+(\S+)/m.exec(text)?.[1]),
    p99: milliseconds(/^\s+99%\s+(\S+)/m.exec(text)?.[1]),
    errors: number(/Non-2xx or 3xx responses: (\d+)/) + socketErrors.reduce((sum, count) => sum + Number(count), 0),
    rssMb: rssMb(server.pid),
    cpu,
  };
}

/** wrk takes whole seconds. If it is interrupted, it reports what it has measured until then. */
async function interruptAfter(wrk: Bun.Subprocess, seconds: number): Promise<void> {
  while (wrk.exitCode === null && !catchesInterrupts(wrk.pid)) await Bun.sleep(5);
  await Bun.sleep(seconds * 1000);
  wrk.kill('SIGINT');
}

function catchesInterrupts(pid: number): boolean {
  const caught = /^SigCgt:\s+(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number.parseInt(caught?.slice(-1) ?? '0', 16) & 2) !== 0;
}

/** `readers` connections read a large answer repeatedly; returns the bytes per second. */
export async function readLists(server: Server, path: string, readers: number, seconds: number): Promise<number> {
  const wrk = [toolPath('wrk'), '-t1', `-c${readers}`, `-d${seconds}s`, '--timeout', '60s', server.base + path];
  // Lowest priority, so that it does not slow down another wrk on the same core, which measures.
  const child = Bun.spawn([toolPath('taskset'), '-c', loadCore, toolPath('nice'), '-n', '19', ...wrk], {
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const [, value, unit] = /Transfer\/sec:\s+([\d.]+)([KMG]?)B/.exec(await new Response(child.stdout).text()) ?? [];
  return Number(value) * ({ '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[unit ?? ''] ?? 1);
}

/** The process and all its descendants. */
function family(pid: number): number[] {
  const children = Bun.spawnSync([toolPath('pgrep'), '-P', String(pid)])
    .stdout.toString()
    .split('\n')
    .filter(Boolean)
    .map(Number);
  return [pid, ...children.flatMap(family)];
}

/** Of the process and all its descendants; a tick is 10 ms. */
function cpuTicks(pid: number): number {
  return family(pid).reduce((sum, member) => {
    const fields = readFileSync(`/proc/${member}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}

/** A server at rest has timers. */
const ticksAtRest = 1;

/** Resolves when the process takes no processor time: after its start, a server still fills its caches. */
export async function atRest({ pid }: Pick<Server, 'pid'>): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const now = cpuTicks(pid);
    if (now - before <= ticksAtRest) return;
    before = now;
    await Bun.sleep(1000);
  }
}

/**
 * The processor time of the process and all its descendants, for processes with one thread each. `cpuTicks` is too coarse for many short
 * ones: a process that has run for less than a tick counts as 0.
 */
export function runMicroseconds(pid: number): number {
  return family(pid).reduce((sum, member) => {
    const [nanoseconds] = readFileSync(`/proc/${member}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1000;
  }, 0);
}

export function rssMb(pid: number): number {
  return family(pid).reduce((sum, member) => {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${member}/status`, 'utf8'))?.[1];
    return sum + Number(kilobytes ?? 0) / 1024;
  }, 0);
}

function milliseconds(text: string | undefined): number {
  const [, value, unit] = /^([\d.]+)(us|ms|s)$/.exec(text ?? '') ?? [];
  return Number(value ?? Number.NaN) * ({ us: 0.001, ms: 1, s: 1000 }[unit ?? 'ms'] ?? 1);
}
