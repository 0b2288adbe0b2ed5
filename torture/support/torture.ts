/** The input and the result of a torture. */

/** `standbys` is PostgreSQL with reads from standbys. */
export const engines = ['sqlite', 'postgres', 'standbys'] as const;
export type Engine = (typeof engines)[number];

/** Several need Linux. */
export const defaultThreads = process.platform === 'linux' ? 2 : 1;

export type Run = {
  readonly folder: string;
  readonly full: boolean;
  /** How many threads serve, on SQLite. */
  readonly threads: number;
  /** The duration, for a torture that runs for a given time. */
  readonly minutes: number;
  /** For a torture that sends a given number of requests. */
  readonly requests?: number | undefined;
  /** The engine that `history` and `bank` run on; undefined for all. */
  readonly engine?: Engine | undefined;
  /** Whether `abuse` attacks a server with TLS. */
  readonly tls?: boolean | undefined;
  say(progress: string): void;
};
export type Threads = Pick<Run, 'threads'>;
export type TortureResult = { readonly skipped: string } | Judged;
/** The measured figures, and the failures found. */
export type Judged = { readonly figures: Readonly<Record<string, number>>; readonly complaints: readonly string[] };
export type Torture = (run: Run) => Promise<TortureResult>;

/** The arguments of a server on SQLite. */
export function sqliteArgs(path: string, { threads }: Threads): readonly string[] {
  return ['--database', `sqlite:${path}`, '--threads', String(threads)];
}
