/** How many threads serve: those of one process share the port and the memory of records. */
import { availableParallelism } from 'node:os';
import { StartError } from '../../domain/errors.ts';
import { usableMemory } from '../process/memory-limit.ts';
import type { Config } from '../settings/settings.ts';

export type Threads = {
  readonly count: number;
  /** Says why there are fewer than were asked for. */
  readonly note?: string;
};

export type Machine = {
  readonly platform: string;
  /** That this process may use. */
  readonly cores: number;
  /** In bytes, that this process may use. */
  readonly memory: number;
};

/** The other cores are for the writing thread, searches and the rest of the machine. */
const autoShare = 1 / 2;
/** Each needs memory, and one thread writes for all of them. */
const maxAuto = 8;
/** In bytes. Two threads fit into a limit of 256 MB with more records than memory, as the torture `memory-limit` shows. */
const memoryPerThread = 128 * 1024 ** 2;

/** Throws a StartError where several were asked for and can never serve. */
export function threadCount(
  { server: { threads }, database: { url } }: Pick<Config, 'server' | 'database'>,
  machine: Machine = thisMachine(),
): Threads {
  const canShare = url.kind !== 'postgres' && machine.platform === 'linux';
  if (threads === 'auto') return { count: canShare ? autoCount(machine) : 1 };
  if (threads === 1 || canShare) return { count: threads };
  if (url.kind === 'postgres')
    throw new StartError(`--threads ${threads} needs SQLite: with PostgreSQL, use --workers ${threads}.`);
  return {
    count: 1,
    note: `One thread serves: several need Linux, which balances a shared port; this is ${machine.platform}.`,
  };
}

function autoCount({ cores, memory }: Machine): number {
  return Math.max(1, Math.min(maxAuto, Math.floor(cores * autoShare), Math.floor(memory / memoryPerThread)));
}

function thisMachine(): Machine {
  return { platform: process.platform, cores: availableParallelism(), memory: usableMemory() };
}
