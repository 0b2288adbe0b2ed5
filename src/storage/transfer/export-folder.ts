/** Writes contents to a folder: a file of NDJSON for each collection, and then the manifest. */
import { closeSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../domain/errors.ts';
import { breath } from './breath.ts';
import { type Contents, lastNumberOf, type Part } from './contents.ts';
import { recordLines, Tallying } from './digest.ts';
import { createFile, sync } from './files.ts';
import { type Exported, fileOf, manifestName, writeManifest } from './manifest.ts';

export type ExportOptions = {
  readonly version: string;
  /** The moment of the contents. */
  readonly at: string;
  readonly onRows: (rows: number) => void;
  /** Stops it: the files are removed. */
  readonly signal: AbortSignal;
};

/** Throws a StartError unless the folder is new, or is empty and only its owner can put files into it. */
export function requireNewFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  const names = readdirSync(folder);
  const mode = found.mode & 0o777;
  if (names.length === 0 && (mode & 0o022) !== 0)
    throw new StartError(
      `Other users can write to ${folder} (mode ${mode.toString(8)}): choose a new folder, or set its mode to 700.`,
    );
  if (names.length === 0) return;
  const isPartial = !names.includes(manifestName) && names.some((name) => name.endsWith('.partial'));
  throw new StartError(
    isPartial
      ? `${folder} has an export that was interrupted: delete the folder, and retry.`
      : `${folder} is not empty: choose a new folder.`,
  );
}

export async function exportTo(
  folder: string,
  contents: Contents,
  options: ExportOptions,
): Promise<readonly Exported[]> {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  requireNewFolder(folder);
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
  { collection }: Part,
  { onRows, signal }: ExportOptions,
): Promise<Exported> {
  const { name, declaration } = collection;
  const partial = join(folder, `.${fileOf(name)}.partial`);
  const tallying = new Tallying();
  const breathe = breath();
  const file = createFile(partial);
  try {
    for await (const records of contents.records(collection)) {
      signal.throwIfAborted();
      const text = recordLines(collection, records);
      tallying.add(text, records.length);
      writeAll(file, text);
      onRows(records.length);
      await breathe();
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
