/** What each thread of a process has spent, from /proc, and its share of a request. */
import { readdirSync, readFileSync } from 'node:fs';

/** A tick of /proc, in microseconds. */
const tick = 10_000;

export type ThreadTime = {
  readonly name: string;
  /** In microseconds. */
  readonly user: number;
  readonly system: number;
  /** How often it had nothing to do, and slept until another thread or the kernel woke it. */
  readonly waits: number;
};

/** `stat` and `status` are the files of one thread in /proc. */
export function threadTime(stat: string, status: string): ThreadTime {
  // The name may contain parentheses and spaces.
  const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
  const fields = rest.split(' ');
  return {
    name,
    user: Number(fields[11]) * tick,
    system: Number(fields[12]) * tick,
    waits: Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]),
  };
}

/** The threads of a process by number. The first one, whose name is that of the process, gets the name `first`. */
export function threadTimes(pid: number, first: string): Map<string, ThreadTime> {
  const times = new Map<string, ThreadTime>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const read = (file: string) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8');
    try {
      const time = threadTime(read('stat'), read('status'));
      times.set(thread, thread === String(pid) ? { ...time, name: first } : time);
    } catch {
      // It ended after the folder was read.
    }
  }
  return times;
}

const total = ({ user, system }: ThreadTime) => user + system;

/**
 * What each thread spent per request between two readings, the busiest first. Threads of the runtime with less than a
 * hundredth of the whole, which wait for work, are one row.
 */
export function timePerRequest(
  before: ReadonlyMap<string, ThreadTime>,
  after: ReadonlyMap<string, ThreadTime>,
  requests: number,
): ThreadTime[] {
  const spent = [...after].map(([thread, { name, user, system, waits }]): ThreadTime => {
    const known = before.get(thread);
    return {
      name,
      user: (user - (known?.user ?? 0)) / requests,
      system: (system - (known?.system ?? 0)) / requests,
      waits: (waits - (known?.waits ?? 0)) / requests,
    };
  });
  const whole = spent.reduce((sum, time) => sum + total(time), 0);
  const isBusy = (time: ThreadTime) => total(time) >= whole / 100 || /^(?:first|shelf) /.test(time.name);
  const idle = spent.filter((time) => !isBusy(time));
  const sum = (of: 'user' | 'system' | 'waits') => idle.reduce((all, time) => all + time[of], 0);
  const others = { name: `${idle.length} others`, user: sum('user'), system: sum('system'), waits: sum('waits') };
  const busiest = spent.filter(isBusy).sort((a, b) => total(b) - total(a));
  return idle.length === 0 ? busiest : [...busiest, others];
}

export function timesTable(rows: readonly ThreadTime[]): string {
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, n) => (n === 0 ? cell.padEnd(18) : cell.padStart(11))).join('')}\n`;
  const figures = ({ name, user, system, waits }: ThreadTime) =>
    line([name, user.toFixed(2), system.toFixed(2), (user + system).toFixed(2), waits.toFixed(3)]);
  const sum = (of: 'user' | 'system' | 'waits') => rows.reduce((all, row) => all + row[of], 0);
  const whole = { name: 'all', user: sum('user'), system: sum('system'), waits: sum('waits') };
  return line(['thread', 'user µs', 'system µs', 'both', 'waits']) + [...rows, whole].map(figures).join('');
}
