/** The memory that this process may use: that of the machine, or the limit of its control groups (cgroups). */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

const root = '/sys/fs/cgroup';

/** In bytes. The runtime's own figure ignores the limits of parent groups, which also apply. */
export function usableMemory(): number {
  const limits = limitFiles(read('/proc/self/cgroup') ?? '').map((path) => parseLimit(read(path) ?? ''));
  return Math.min(totalmem(), ...limits.filter((limit) => limit !== undefined));
}

/**
 * The size of the record cache, in bytes. The rest is for the runtime, answers in flight, SQLite, and temporary memory while
 * the cache fills.
 */
export function autoCache(usableBytes: number): number {
  return Math.min(256 * 1024 ** 2, Math.floor(usableBytes / 4));
}

/**
 * The files that may hold a limit of the group or of a parent group, by the text of /proc/self/cgroup. In a container the
 * path of the group may exist only outside; its limit is then that of the topmost group.
 */
export function limitFiles(cgroups: string): string[] {
  return cgroups.split('\n').flatMap((line) => {
    const [, controllers, path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    const folders = path.split('/').map((_, depth, names) => names.slice(0, depth + 1).join('/'));
    // Version 2 has one hierarchy and names no controllers; version 1 has a separate hierarchy for memory.
    if (controllers === '')
      return folders.flatMap((folder) => ['memory.max', 'memory.high'].map((file) => `${root}${folder}/${file}`));
    if (controllers?.split(',').includes('memory'))
      return folders.map((folder) => `${root}/memory${folder}/memory.limit_in_bytes`);
    return [];
  });
}

/** Undefined for `max`, which means no limit. Version 1 has a number larger than any machine instead. */
export function parseLimit(text: string): number | undefined {
  return /^\d+\n?$/.test(text) ? Number(text) : undefined;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
