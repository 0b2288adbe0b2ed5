/** What a process has of the memory. */
import { readFileSync } from 'node:fs';

/** Resident now, in MB. */
export function megabytes(pid: number): number {
  return field(pid, 'VmRSS');
}

/** The most that was resident since it started. */
export function peakMegabytes(pid: number): number {
  return field(pid, 'VmHWM');
}

function field(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}
