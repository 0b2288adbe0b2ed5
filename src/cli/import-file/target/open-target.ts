/** The target that the arguments of an import name. */
import { readFileSync } from 'node:fs';
import type { Collection } from '../../../domain/collection.ts';
import { StartError } from '../../../domain/errors.ts';
import { suggestion } from '../../../domain/suggest.ts';
import type { Environment } from '../../config/environment.ts';
import type { ImportFileCommand } from '../../config/import-command.ts';
import type { Config } from '../../settings/settings.ts';
import { databaseLabel } from '../../text/database-label.ts';
import { openDatabase } from './database-target.ts';
import type { Target } from './import-target.ts';
import { openServer } from './server-target.ts';

/** Throws a StartError. */
export async function openTarget(
  { collection: name, url, keyFile }: ImportFileCommand,
  { config, collections, env, onWaiting }: TargetContext,
): Promise<Target> {
  if (url !== undefined)
    return openServer(url, name, keyFile === undefined ? env.SHELF_KEY || undefined : keyIn(keyFile));
  const collection = collections.find((one) => one.name === name);
  if (collection === undefined) {
    const known = collections.map((one) => one.name);
    throw new StartError(`There is no collection ${name}${suggestion(name, known)}`);
  }
  return openDatabase(databaseLabel(config.database.url), collection, collections, { ...config, onWaiting });
}

export type TargetContext = {
  readonly config: Config;
  readonly collections: readonly Collection[];
  readonly env: Environment;
  /** Called once if the database does not answer. */
  onWaiting(line: string): void;
};

function keyIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new StartError(`Cannot read the key in ${path} (${(error as Error).message}): check --key-file.`);
  }
}
