/** What a torture is given and what it returns. */

export const engines = ['sqlite', 'postgres'] as const;
export type Engine = (typeof engines)[number];

export type Run = {
  readonly folder: string;
  readonly full: boolean;
  /** How long to go on, where that is what it is about. */
  readonly minutes: number;
  /** The only one that `history` runs on; undefined for all. */
  readonly engine?: Engine | undefined;
  say(progress: string): void;
};
export type TortureResult = { readonly skipped: string } | Judged;
/** What was seen, and what should not have been. */
export type Judged = { readonly figures: Readonly<Record<string, number>>; readonly complaints: readonly string[] };
export type Torture = (run: Run) => Promise<TortureResult>;
