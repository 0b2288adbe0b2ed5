/** A new database that is filled with contents, and becomes visible only when it is complete. */

import { StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import { apiKeysTable, type Batches, type Contents, type Outline, type OwnTable, type TableRow } from './contents.ts';

export type TargetDatabase = {
  /** API keys that the database has already: an import keeps them. */
  readonly apiKeys: readonly TableRow[];
  /** The highest number that the database has given to anything: no number is given twice. */
  readonly reached: number;
  /** Creates the tables, empty. */
  create(outline: Outline): Promise<void>;
  addRecords(to: Collection, batches: Batches<Stored>): Promise<void>;
  addRows(to: OwnTable, batches: Batches<TableRow>): Promise<void>;
  /** Creates indexes and constraints, and sets the numbers. */
  complete(outline: Outline): Promise<void>;
  /** What was written, read back. */
  read<Result>(use: (contents: Contents) => Promise<Result>): Promise<Result>;
  /** Puts the new database in place. */
  publish(): Promise<void>;
  /** Leaves the database as it was, unless it was published. Safe to call at any time. */
  close(): Promise<void>;
};

/** What counts as empty. */
export type TargetOptions = {
  /** API keys do not count, because they are kept. */
  readonly keepsApiKeys: boolean;
  /** What to do if the database is not empty. */
  readonly advice: string;
};

/** Returns the API keys. Throws a StartError unless the other contents are none, or the first records as they were created. */
export async function requireEmpty(
  contents: Contents,
  label: string,
  { keepsApiKeys, advice }: TargetOptions,
): Promise<TableRow[]> {
  const notEmpty = (reason: string) => new StartError(`The database ${label} is not empty (${reason}): ${advice}.`);
  const { parts, changes } = contents.outline;
  let firsts = 0;
  for (const { collection, records } of parts) {
    if (records === 0) continue;
    const isFirst = records === 1 && (await isUnchangedFirst(contents, collection));
    if (!isFirst) throw notEmpty(`${collection.name} has ${records} ${records === 1 ? 'record' : 'records'}`);
    firsts++;
  }
  if (changes.last > firsts) throw notEmpty('it has a history');
  const apiKeys: TableRow[] = [];
  for await (const rows of contents.rows(apiKeysTable)) apiKeys.push(...rows);
  if (apiKeys.length > 0 && !keepsApiKeys) throw notEmpty('it has API keys');
  return apiKeys;
}

async function isUnchangedFirst(contents: Contents, collection: Collection): Promise<boolean> {
  const { first } = collection;
  if (first === undefined) return false;
  for await (const records of contents.records(collection)) {
    const [record] = records;
    return record?.version === 1 && collection.encode(record.row) === collection.encode(first);
  }
  return false;
}
