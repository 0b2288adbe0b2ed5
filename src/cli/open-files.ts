/** How many files and sockets this process may have open. */
import { readFileSync } from 'node:fs';

/** Undefined where the system does not say, or sets no limit. */
export function openFiles(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** Kept for everything that is no connection of a client: the database, the log, what is set aside. */
const reserved = 200;

/** As many connections as were asked for, or as there is room for; too many would leave nothing to answer with. */
export function roomFor(connections: number): number {
  return Math.max(1, Math.min(connections, (openFiles() ?? Number.POSITIVE_INFINITY) - reserved));
}
