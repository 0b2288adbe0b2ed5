/** Runs `shelf import FILE --collection NAME` in this process. */
import { readFileSync } from 'node:fs';
import { StartError } from '../../domain/errors.ts';
import { suggestion } from '../../domain/input/suggest.ts';
import type { Command } from '../config/config.ts';
import { onStop } from '../process/signals.ts';
import { databaseLabel } from '../text/database-label.ts';
import { importFile } from './import-file.ts';
import { openDatabase } from './target/database-target.ts';
import type { Target } from './target/import-target.ts';
import { openServer } from './target/server-target.ts';

type ImportCommand = Extract<Command, { kind: 'import' }>;

/** Returns the exit code. A stop signal ends the import after the batch that is being sent, a second one at once. */
export async function runImportFile(command: ImportCommand, onWaiting: (line: string) => void): Promise<number> {
  const stopping = new AbortController();
  onStop((how) => (how === 'at once' ? process.exit(1) : stopping.abort()));
  const target = await openTarget(command, onWaiting);
  try {
    return await importFile(command.order, target, {
      maxRow: command.config.limits.maxBody,
      signal: stopping.signal,
      screen: process.stderr,
      say: (line) => process.stdout.write(`${line}\n`),
    });
  } finally {
    await target.close();
  }
}

/** `onWaiting` is called once if the database does not answer. Throws a StartError. */
async function openTarget(
  { config, collections, order: { collection: name, key, url, keyFile } }: ImportCommand,
  onWaiting: (line: string) => void,
): Promise<Target> {
  if (url !== undefined)
    return openServer(url, name, keyFile === undefined ? process.env.SHELF_KEY || undefined : keyIn(keyFile), key);
  const collection = collections.find((one) => one.name === name);
  if (collection === undefined) {
    const known = collections.map((one) => one.name);
    throw new StartError(`There is no collection ${name}${suggestion(name, known)}`);
  }
  const label = databaseLabel(config.database.url);
  return openDatabase(label, collection, collections, { ...config, onWaiting }, key);
}

function keyIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new StartError(`Cannot read the key in ${path} (${(error as Error).message}): check --key-file.`);
  }
}
