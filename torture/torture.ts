/** The input and the result of a torture. */

/** `standbys` is PostgreSQL with reads from standbys. */
export const engines = ['sqlite', 'postgres', 'standbys'] as const;
export type Engine = (typeof engines)[number];

export type Run = {
  readonly folder: string;
  readonly full: boolean;
  /** The duration, for a torture that runs for a given time. */
  readonly minutes: number;
  /** The engine that `history` runs on; undefined for all. */
  readonly engine?: Engine | undefined;
  /** Whether `abuse` attacks a server with TLS. */
  readonly tls?: boolean | undefined;
  say(progress: string): void;
};
export type TortureResult = { readonly skipped: string } | Judged;
/** The measured figures, and the failures found. */
export type Judged = { readonly figures: Readonly<Record<string, number>>; readonly complaints: readonly string[] };
export type Torture = (run: Run) => Promise<TortureResult>;
