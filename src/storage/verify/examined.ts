/** A database that is examined: its contents, and what else an engine can be asked. */
import type { Collection } from '../../domain/collection.ts';
import type { Meta } from '../../domain/record.ts';
import type { Batches, Source } from '../transfer/contents.ts';
import type { AskPair } from '../transfer/rules.ts';

/** The last change of a record that the feed still has; `json` is the record as it was then. */
export type LastChange = Meta & {
  readonly change: number;
  readonly type: string;
  readonly json: string;
};

export type Examined = Source & {
  /** What the engine itself finds wrong. */
  integrity(): Promise<readonly string[]>;
  /** By id of the record. */
  lastChanges(of: Collection): Batches<LastChange>;
  readonly ask: AskPair;
  /** If `use` fails, the rest can still be read. */
  guarded<Result>(use: () => Promise<Result>): Promise<Result>;
};
