/** Adds the records of an export that a database lacks: all or none, and none that differs from one that is there. */
import { isAlike } from '../../declarations/same-declaration.ts';
import { StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import { type Asked, requireConstraints } from './constraints.ts';
import type { Outline } from './contents.ts';
import { recordLines, Tallying } from './digest.ts';
import { eventLoopYield } from './event-loop-yield.ts';
import { recordsIn } from './folder/folder-contents.ts';
import type { Manifest } from './folder/manifest.ts';

/** A database that is merged to, inside one transaction; no server has it open. */
export type Merge = Asked & {
  readonly outline: Outline;
  /** The records of these ids that are there, as in an export. */
  existing(of: Collection, ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Before the first addition. Numbers continue beyond `lost`, and beyond all of this database. */
  beginEpoch(lost: number, additions: number): Promise<void>;
  /** Adds records with their ids, versions and times, and a change for each. */
  insert(to: Collection, records: readonly Stored[]): Promise<void>;
  commit(): Promise<void>;
  /** Undoes everything that was not committed. */
  close(): Promise<void>;
};

export type MergeOptions = {
  readonly onRows: (rows: number) => void;
  /** Called before each of the three passes: compare, add, check. */
  readonly onStep: (step: 'Comparing' | 'Adding' | 'Checking') => void;
  readonly signal: AbortSignal;
};

/** Returns the number of records that were added. */
export async function mergeFrom(
  folder: string,
  manifest: Manifest,
  merge: Merge,
  { onRows, onStep, signal }: MergeOptions,
): Promise<number> {
  const collections = manifest.collections.map((one) => requireSame(one, merge.outline));
  const yieldToEvents = eventLoopYield();

  /** Calls `add` with the records that the database lacks. Throws a StartError at one that differs, or at a wrong digest. */
  async function compare(add: (to: Collection, records: readonly Stored[]) => Promise<void>): Promise<void> {
    for (const [index, collection] of collections.entries()) {
      const tallying = new Tallying();
      for (const records of recordsIn(folder, collection, manifest)) {
        signal.throwIfAborted();
        const lines = recordLines(collection, records);
        tallying.add(lines, records.length);
        const there = await merge.existing(
          collection,
          records.map(({ recordId }) => recordId),
        );
        const each = lines.split('\n');
        const differing = records.find(({ recordId }, at) => there.has(recordId) && there.get(recordId) !== each[at]);
        if (differing !== undefined) throw taken(collection, differing);
        const absent = records.filter(({ recordId }) => !there.has(recordId));
        if (absent.length > 0) await add(collection, absent);
        onRows(records.length);
        await yieldToEvents();
      }
      const { count, sha256 } = tallying.end();
      const promised = manifest.collections[index];
      if (count !== promised?.records || sha256 !== promised.sha256)
        throw new StartError(
          `${collection.name} is not as the manifest says: the export was changed or is damaged. Nothing was imported.`,
        );
    }
  }

  let additions = 0;
  onStep('Comparing');
  await compare(async (_, records) => {
    additions += records.length;
  });
  if (additions === 0) return 0;
  onStep('Adding');
  await merge.beginEpoch(manifest.lastNumber, additions);
  await compare((to, records) => insertAll(merge, to, records));
  await requireConstraints(collections, merge);
  onStep('Checking');
  await compare(async ({ name }, [record]) => {
    throw new StartError(
      `${name} ${record?.recordId} was not stored: check the disk and the triggers of the database.`,
    );
  });
  signal.throwIfAborted();
  await merge.commit();
  return additions;
}

function requireSame({ name, declaration }: Manifest['collections'][number], { parts }: Outline): Collection {
  const found = parts.find(({ collection }) => collection.name === name)?.collection;
  if (found === undefined)
    throw new StartError(`The database has no collection ${name}: declare it, run shelf migrate, and retry.`);
  if (!isAlike(found.declaration, declaration))
    throw new StartError(
      `${name} is declared otherwise in the database than in the export: make both the same with shelf migrate, and retry.`,
    );
  return found;
}

function taken({ name }: Collection, { recordId }: Stored): StartError {
  return new StartError(
    `${name} ${recordId} is another record in the database than in the export: nothing was imported.`,
  );
}

/** If one of them cannot be added, finds out which. */
async function insertAll(merge: Merge, to: Collection, records: readonly Stored[]): Promise<void> {
  try {
    await merge.insert(to, records);
  } catch (error) {
    if (!isConstraint(error)) throw error;
    for (const record of records) {
      await merge.insert(to, [record]).catch(() => {
        throw new StartError(
          `${to.name} ${record.recordId} has a value that must be unique, and another record has it: nothing was imported.`,
        );
      });
    }
  }
}

function isConstraint(error: unknown): boolean {
  const { code = '', errno } = error as { code?: string; errno?: unknown };
  return code.startsWith('SQLITE_CONSTRAINT') || errno === '23505';
}
