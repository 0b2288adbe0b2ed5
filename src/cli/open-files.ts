/** How many files and sockets this process may have open, and what they are for. */
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

/**
 * Kept for what is there whoever asks: the threads with their queues and connections to SQLite, the log, the listening
 * socket (31 together), and what is opened for a moment.
 */
const reserved = 64;
/** A long list from SQLite: the file, its log, and what is left of it where it is set aside. */
const filesPerList = 3;
/** More than these are of no use: a disk has so much to do at once. */
const most = { extra: 100, bulks: 256, lists: 64 };

type Wanted = {
  readonly limits: { readonly maxConnections: number };
  readonly database: { readonly url: { readonly kind: string }; readonly connections: number };
};

export type FileBudget = {
  /** As many as were asked for, or as there is room for; too many would leave nothing to answer with. */
  readonly connections: number;
  /** Beyond those: told that there are too many. */
  readonly extra: number;
  /** Bulks that arrive at once, each with a file. */
  readonly bulks: number;
  readonly lists: number;
};

export function fileBudget(
  { limits: { maxConnections }, database }: Wanted,
  limit = openFiles() ?? Number.POSITIVE_INFINITY,
): FileBudget {
  // To PostgreSQL: for reads, for lists, the one that writes and the one that listens; when they are replaced, the old ones too.
  const toDatabase = database.url.kind === 'postgres' ? 3 * database.connections + 4 : 0;
  const free = Math.max(limit - reserved - toDatabase, 16);
  const extra = Math.min(most.extra, Math.floor(free / 8));
  const bulks = Math.min(most.bulks, Math.floor(free / 8));
  const lists = Math.min(most.lists, Math.floor(free / 16));
  const connections = Math.min(maxConnections, free - extra - bulks - filesPerList * lists);
  return { connections, extra, bulks, lists };
}
