/** How much memory this process may use: that of the machine, or what its control groups (cgroups) leave of it. */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

const root = '/sys/fs/cgroup';

/** In bytes. The runtime's own figure leaves out the limits of the groups above, which count for this one as well. */
export function usableMemory(): number {
  const limits = limitFiles(read('/proc/self/cgroup') ?? '').map((path) => parseLimit(read(path) ?? ''));
  return Math.min(totalmem(), ...limits.filter((limit) => limit !== undefined));
}

/** What records may take of it. The rest is for the runtime, answers in flight and SQLite, and for what filling the cache takes for a moment. */
export function autoCache(usableBytes: number): number {
  return Math.min(256 * 1024 ** 2, Math.floor(usableBytes / 4));
}

/**
 * The files that may hold a limit, by the text of /proc/self/cgroup: of its group and of all groups above. Inside a
 * container the group may have a path that is known only outside; its limit is then that of the topmost group.
 */
export function limitFiles(cgroups: string): string[] {
  return cgroups.split('\n').flatMap((line) => {
    const [, controllers, path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    const folders = path.split('/').map((_, depth, names) => names.slice(0, depth + 1).join('/'));
    // Version 2 has one hierarchy, whose controllers are not named; version 1 has one of its own for memory.
    if (controllers === '')
      return folders.flatMap((folder) => ['memory.max', 'memory.high'].map((file) => `${root}${folder}/${file}`));
    if (controllers?.split(',').includes('memory'))
      return folders.map((folder) => `${root}/memory${folder}/memory.limit_in_bytes`);
    return [];
  });
}

/** Undefined for `max`, which is no limit; version 1 has a number beyond any machine for that. */
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
