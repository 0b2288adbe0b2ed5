/** Commands for data in this process, which is faster than one of its own: the line that they print, or the line that they fail with. */
import { exportDatabase } from '../../../src/cli/data/export.ts';
import { importExport } from '../../../src/cli/data/import-export.ts';
import { move } from '../../../src/cli/data/move.ts';
import type { DataOptions } from '../../../src/cli/data/options.ts';
import { restore } from '../../../src/cli/data/restore.ts';
import { verifyDatabase } from '../../../src/cli/data/verify.ts';
import { StartError } from '../../../src/domain/errors.ts';
import { fullCollections } from '../data/full-database.ts';
import { defaults, engineOf } from './engine.ts';

export const dataOptions: DataOptions = {
  collections: fullCollections,
  database: defaults.database,
  version: 'test',
  screen: { write: () => {} },
  signal: new AbortController().signal,
};

/** Does not wait long for a server to end. */
export const impatient: DataOptions = { ...dataOptions, database: { ...defaults.database, timeout: 300 } };

/** A failure that is not for the operator is thrown on. */
async function lineOf(run: Promise<string>): Promise<string> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof StartError) return `failed: ${error.message}`;
    throw error;
  }
}

export const runExport = (database: string, folder: string) =>
  lineOf(exportDatabase(engineOf(database), folder, dataOptions));
export const runImport = (database: string, folder: string, merges = false, options = dataOptions) =>
  lineOf(importExport(engineOf(database), folder, merges, options));
export const runMove = (from: string, to: string) => lineOf(move(engineOf(from), engineOf(to), dataOptions));
export async function runVerify(database: string, collections = fullCollections) {
  const { text, isRight } = await verifyDatabase(engineOf(database), { ...dataOptions, collections });
  return { isRight, lines: text.trimEnd().split('\n') };
}
export const runRestore = (path: string, from: string) => lineOf(restore({ kind: 'sqlite', path }, from, dataOptions));
