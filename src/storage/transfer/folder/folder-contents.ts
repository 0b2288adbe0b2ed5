/** The contents of an export, read from its folder. */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../../domain/errors.ts';
import { farJump } from '../../../domain/feed/feed-history.ts';
import { type Collection, collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { linesOf } from '../../bulk/spool.ts';
import { newSecret } from '../../secret.ts';
import { apiKeysTable, type Contents, type Outline, type TableRow } from '../contents.ts';
import type { Tallies } from '../digest.ts';
import { fileOf, type Manifest } from './manifest.ts';
import { storedIn } from './stored-line.ts';

/** `kept`: what the database that is imported to has already. */
export function folderContents(
  folder: string,
  manifest: Manifest,
  kept: { readonly apiKeys: readonly TableRow[]; readonly reached: number },
): Contents {
  return {
    outline: outlineOf(manifest, kept.reached),
    records: (of) => recordsIn(folder, of, manifest),
    rows: (of) => (of === apiKeysTable && kept.apiKeys.length > 0 ? [kept.apiKeys] : []),
  };
}

/** What the manifest promises. */
export function promised({ collections }: Manifest): Tallies {
  return new Map(collections.map(({ name, records: count, sha256 }) => [name, { count, sha256 }]));
}

/**
 * An import begins a new epoch: numbers continue beyond all that the exported database can have given since, and the feed
 * has no changes before it, so every follower reads the lists again.
 */
function outlineOf({ lastNumber, collections }: Manifest, reached: number): Outline {
  const next = Math.max(lastNumber, reached) + farJump;
  return {
    declarations: Object.fromEntries(
      collections.map(({ name, declaration }) => [name, { now: declaration, earlier: [] }]),
    ),
    parts: collections.map(({ name, declaration, records }) => ({
      collection: collection(name, declaration),
      records,
      last: next,
    })),
    changes: { kept: 0, last: next },
    trimmed: next,
    gaps: [[0, next]],
    secret: newSecret(),
  };
}

/** The manifest has the highest number of the database: ids and versions beyond it would be given out again. */
export function* recordsIn(
  folder: string,
  of: Collection,
  { lastNumber }: Pick<Manifest, 'lastNumber'>,
): Generator<readonly Stored[]> {
  const path = join(folder, fileOf(of.name));
  const fd = openFile(path);
  try {
    let line = 0;
    let last = 0;
    for (const lines of linesOf({ fd, size: fstatSync(fd).size })) {
      yield lines.map((text) => {
        const where = `${path}, line ${++line}`;
        const stored = storedIn(of, text);
        if (typeof stored === 'string') throw changed(where, stored);
        if (stored.recordId <= last) throw changed(where, `the id ${stored.recordId} is not above the one before`);
        if (Math.max(stored.recordId, stored.version) > lastNumber)
          throw changed(where, `id or version is above last_number of the manifest, which is ${lastNumber}`);
        last = stored.recordId;
        return stored;
      });
    }
  } finally {
    closeSync(fd);
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new StartError(`Cannot read ${path} (${(error as Error).message}): the export is not complete.`);
  }
}

function changed(where: string, reason: string): StartError {
  return new StartError(`${where}: ${reason}. The export was changed or is damaged; nothing was imported.`);
}
