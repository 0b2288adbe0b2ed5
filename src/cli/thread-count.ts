/** How many threads serve: those of one process share the port and the memory of records. */
import { availableParallelism } from 'node:os';
import { StartError } from '../domain/errors.ts';
import type { Config } from './settings/settings.ts';

export type Threads = {
  readonly count: number;
  /** Says why there are fewer than were asked for. */
  readonly note?: string;
};

/** Throws a StartError where several can never serve. */
export function threadCount(
  { server: { threads }, database: { url } }: Pick<Config, 'server' | 'database'>,
  platform: string = process.platform,
): Threads {
  const isAuto = threads === 'auto';
  if (url.kind === 'postgres') {
    if (!isAuto && threads > 1)
      throw new StartError(`--threads ${threads} needs SQLite: with PostgreSQL, use --workers ${threads}.`);
    return { count: 1 };
  }
  const count = isAuto ? availableParallelism() : threads;
  if (count === 1 || platform === 'linux') return { count };
  return {
    count: 1,
    note: `One thread serves: several need Linux, which balances a shared port; this is ${platform}.`,
  };
}
