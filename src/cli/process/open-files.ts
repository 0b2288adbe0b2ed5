/** The limit on open files and sockets of this process, and how it is divided. */
import { readFileSync } from 'node:fs';

/** Undefined if the limit is unknown, or there is none. */
export function openFiles(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/**
 * For files that are open without any request (the threads with their queues and connections to SQLite, the log and the
 * listening socket: 31 in total, and 8 for lists in memory), and for files that are open briefly.
 */
const reserved = 64;
/** For each further thread that serves: 20 are open without any request, and 8 for lists in memory. */
const perThread = 32;
/** A long list from SQLite: the database, its WAL, and the spool file with the rest of the list. */
const filesPerList = 3;
/** Upper limits: more would not be faster, because a disk does only so much at a time. */
const maximum = { overLimit: 100, bulks: 256, lists: 64 };

type Requested = {
  readonly limits: { readonly maxConnections: number };
  readonly database: { readonly url: { readonly kind: string }; readonly connections: number };
};

export type FileBudget = {
  /** --max-connections, or fewer if files are scarce: more connections would leave no files to answer with. */
  readonly connections: number;
  /** Connections over that limit: health is answered, other requests get `overloaded`. */
  readonly overLimit: number;
  /** Concurrent bulks, each with a spool file. */
  readonly bulks: number;
  readonly lists: number;
};

export function fileBudget(
  { limits: { maxConnections }, database }: Requested,
  threads: number,
  limit = openFiles() ?? Number.POSITIVE_INFINITY,
): FileBudget {
  // Connections for reads, for lists, one for writes and one to listen; while a pool is replaced, also its old ones.
  const toDatabase = database.url.kind === 'postgres' ? 3 * database.connections + 4 : 0;
  const free = Math.max(limit - reserved - perThread * (threads - 1) - toDatabase, 16);
  const overLimit = Math.min(maximum.overLimit, Math.floor(free / 8));
  const bulks = Math.min(maximum.bulks, Math.floor(free / 8));
  const lists = Math.min(maximum.lists, Math.floor(free / 16));
  const connections = Math.min(maxConnections, free - overLimit - bulks - filesPerList * lists);
  return { connections, overLimit, bulks, lists };
}
