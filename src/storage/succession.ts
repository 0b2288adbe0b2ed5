/** How an open database is served with other declarations: what a start with another file does, without the start. */
import type { Evolution, Plan } from '../declarations/refusal.ts';
import type { Collection } from '../domain/record/collection.ts';

export type SuccessionOptions = Evolution & {
  /** Called when everything is done except the commit. If it throws, nothing is changed. */
  beforeCommit(): void;
  /** PostgreSQL: stored in the same commit, so that other instances know the file that belongs to it. */
  readonly fileTag: string;
};

export type Succession<Opened> = {
  /** What would be done; nothing is changed. With `isChecked`, all records are checked and counted. */
  plan(collections: readonly Collection[], isChecked: boolean): Promise<Plan>;
  /** Of the last takeover of any instance; undefined if there was none, and where one server has the database. */
  fileTag(): Promise<string | undefined>;
  /**
   * Migrates the database in one commit, between two writes: no request may be in flight. Resolves with a function that opens the database
   * with the other collections; call it once, after this store is closed. If it rejects, nothing has changed.
   */
  migrate(collections: readonly Collection[], options: SuccessionOptions): Promise<() => Opened>;
};
