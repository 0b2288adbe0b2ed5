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

/** Kept for everything that is no connection of a client: the log, what is set aside, a database's files. */
const reserved = 200;

type Wanted = { readonly maxConnections: number; readonly databaseConnections: number };

/** As many connections as were asked for, or as there is room for; too many would leave nothing to answer with. */
export function roomFor({ maxConnections, databaseConnections }: Wanted): number {
  const free = (openFiles() ?? Number.POSITIVE_INFINITY) - reserved - 2 * databaseConnections;
  return Math.max(1, Math.min(maxConnections, free));
}
