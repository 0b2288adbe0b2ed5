/** What every command for a whole database needs. */
import type { Collection } from '../../domain/record/collection.ts';
import type { Engine } from '../../storage/open.ts';
import type { DatabaseOptions } from '../../storage/transfer/open-databases.ts';
import { databaseLabel } from '../text/database-label.ts';
import type { Screen } from './progress.ts';

export type DataOptions = {
  /** Those of the configuration file. */
  readonly collections: readonly Collection[];
  readonly database: { readonly timeout: number; readonly prepare: boolean };
  readonly version: string;
  readonly screen: Screen;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
};

export function databaseOptions(engine: Engine, { collections, database }: DataOptions): DatabaseOptions {
  const { timeout: timeoutMs, prepare } = database;
  return { declared: collections, label: databaseLabel(engine), timeoutMs, prepare };
}
