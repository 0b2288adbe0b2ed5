/** How many threads serve: those of one process share the port and the memory of records. */
import { availableParallelism } from 'node:os';
import { StartError } from '../domain/errors.ts';
import type { Config } from './settings/settings.ts';

export type Threads = {
  readonly count: number;
  /** Says why there are fewer than were asked for. */
  readonly note?: string;
};

/** The other cores are for the writing thread, searches and the rest of the machine. */
const autoShare = 1 / 2;
/** Each needs memory, and one thread writes for all of them. */
const maxAuto = 8;

/** Throws a StartError where several were asked for and can never serve. */
export function threadCount(
  { server: { threads }, database: { url } }: Pick<Config, 'server' | 'database'>,
  platform: string = process.platform,
  cores: number = availableParallelism(),
): Threads {
  const canShare = url.kind !== 'postgres' && platform === 'linux';
  if (threads === 'auto') return { count: canShare ? autoCount(cores) : 1 };
  if (threads === 1 || canShare) return { count: threads };
  if (url.kind === 'postgres')
    throw new StartError(`--threads ${threads} needs SQLite: with PostgreSQL, use --workers ${threads}.`);
  return {
    count: 1,
    note: `One thread serves: several need Linux, which balances a shared port; this is ${platform}.`,
  };
}

function autoCount(cores: number): number {
  return Math.min(maxAuto, Math.max(1, Math.floor(cores * autoShare)));
}
