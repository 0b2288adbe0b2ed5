/** Memory use of a process, in MB. */
import { readFileSync } from 'node:fs';

/** Resident now. */
export function megabytes(pid: number): number {
  return field(pid, 'VmRSS');
}

/** The highest resident size since the process started. */
export function peakMegabytes(pid: number): number {
  return field(pid, 'VmHWM');
}

function field(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}
