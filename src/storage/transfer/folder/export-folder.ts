/** Writes contents to a folder: a file of NDJSON for each collection, and then the manifest. */
import { closeSync, mkdirSync, readdirSync, renameSync, rmSync, type Stats, statSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartError } from '../../../domain/errors.ts';
import { type CollectionOutline, type Contents, lastNumberOf } from '../contents.ts';
import { recordLines, Tallying } from '../digest.ts';
import { eventLoopYield } from '../event-loop-yield.ts';
import { type Exported, fileOf, manifestName, writeManifest } from './manifest.ts';
import { createFile, sync } from './whole-files.ts';

export type ExportOptions = {
  readonly version: string;
  /** The moment of the contents. */
  readonly at: string;
  readonly onRows: (rows: number) => void;
  /** Stops it: the files are removed. */
  readonly signal: AbortSignal;
};

/** Throws a StartError unless the folder is new or empty, and strangers can exchange neither it nor the files in it. */
export function requireNewFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found !== undefined) {
    requireEmpty(folder);
    requireOwn(folder, found);
  }
  requireOwnParent(folder);
}

function requireEmpty(folder: string): void {
  const names = readdirSync(folder);
  if (names.length === 0) return;
  const isPartial = !names.includes(manifestName) && names.some((name) => name.endsWith('.partial'));
  throw new StartError(
    isPartial
      ? `${folder} has an export that was interrupted: delete the folder, and retry.`
      : `${folder} is not empty: choose a new folder.`,
  );
}

/** The nearest one that exists: those between are created with the folder, for this user alone. */
function requireOwnParent(folder: string): void {
  const parent = dirname(resolve(folder));
  const found = statSync(parent, { throwIfNoEntry: false });
  if (found === undefined) requireOwnParent(parent);
  else requireOwn(parent, found);
}

/**
 * The files are for their owner alone, and none follows a link. But the owner of a folder can rename and replace what is in it, and so can all who may write to
 * it, unless it is sticky. Members of its group are not strangers: the owner, who is this user or root, has chosen the group.
 */
function requireOwn(folder: string, { uid, mode }: Stats): void {
  const self = process.getuid?.() ?? uid;
  if (uid !== self && uid !== 0)
    throw new StartError(
      `${folder} belongs to another user (${uid}), who could replace the export: choose a folder elsewhere.`,
    );
  const [isOpen, isSticky] = [(mode & 0o002) !== 0, (mode & 0o1000) !== 0];
  if (isOpen && !isSticky)
    throw new StartError(
      `Every user can write to ${folder} (mode ${(mode & 0o7777).toString(8)}) and could replace the export: choose a folder elsewhere, or run chmod o-w ${folder}`,
    );
}

export async function exportTo(
  folder: string,
  contents: Contents,
  options: ExportOptions,
): Promise<readonly Exported[]> {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  // Some file systems give the same mode and owner to every folder.
  if (!isNew) requireNewFolder(folder);
  try {
    const collections: Exported[] = [];
    for (const part of contents.outline.parts) collections.push(await exportPart(folder, contents, part, options));
    const { version, at } = options;
    writeManifest(folder, { version, at, lastNumber: lastNumberOf(contents.outline), collections });
    return collections;
  } catch (error) {
    const names = [manifestName, ...contents.outline.parts.map(({ collection }) => fileOf(collection.name))];
    for (const name of names) for (const one of [name, `.${name}.partial`]) rmSync(join(folder, one), { force: true });
    if (isNew) rmSync(folder, { recursive: true });
    throw error;
  }
}

async function exportPart(
  folder: string,
  contents: Contents,
  { collection }: CollectionOutline,
  { onRows, signal }: ExportOptions,
): Promise<Exported> {
  const { name, declaration } = collection;
  const partial = join(folder, `.${fileOf(name)}.partial`);
  const tallying = new Tallying();
  const yieldToEvents = eventLoopYield();
  const file = createFile(partial);
  try {
    for await (const records of contents.records(collection)) {
      signal.throwIfAborted();
      const text = recordLines(collection, records);
      tallying.add(text, records.length);
      writeAll(file, text);
      onRows(records.length);
      await yieldToEvents();
    }
  } finally {
    closeSync(file);
  }
  sync(partial);
  renameSync(partial, join(folder, fileOf(name)));
  const { count, sha256 } = tallying.end();
  return { name, declaration, file: fileOf(name), records: count, sha256 };
}

/** A write to a disk that is nearly full may store only a part. */
function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
