/** The manifest of an export: what is in the folder. It is written last, so a folder that has one is complete. */
import { closeSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { checkCollections } from '../../../declarations/check-stored.ts';
import { shown } from '../../../declarations/mistakes.ts';
import { StartError } from '../../../domain/errors.ts';
import { highestNumber, isNumber } from '../../../domain/feed/feed-history.ts';
import { isObject } from '../../../domain/input/json.ts';
import type { CollectionDeclaration } from '../../../domain/record/declaration.ts';
import { parsePlain, plainJson } from '../../../domain/record/plain-data.ts';
import { createFile, sync } from './whole-files.ts';

export const manifestName = 'manifest.json';
const format = 'shelf export 1';

export type Exported = {
  readonly name: string;
  readonly declaration: CollectionDeclaration;
  /** In the same folder: the records by id, one JSON object in each line. */
  readonly file: string;
  readonly records: number;
  /** Of the file. */
  readonly sha256: string;
};

export type Manifest = {
  /** The version of Shelf that wrote it. */
  readonly version: string;
  readonly at: string;
  /** The highest number that the database had given to a record or a change: an import gives out higher ones. */
  readonly lastNumber: number;
  readonly collections: readonly Exported[];
};

/** Syncs the manifest and the names in the folder. */
export function writeManifest(folder: string, { version, at, lastNumber, collections }: Manifest): void {
  const lines = collections.map((one) => `    ${plainJson(one)}`);
  const head = { format, version, at, last_number: lastNumber };
  const members = Object.entries(head).map(([key, value]) => `  "${key}": ${JSON.stringify(value)}`);
  const text = `{\n${members.join(',\n')},\n  "collections": [\n${lines.join(',\n')}\n  ]\n}\n`;
  const partial = join(folder, `.${manifestName}.partial`);
  const file = createFile(partial);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
  sync(partial);
  renameSync(partial, join(folder, manifestName));
  sync(folder);
}

/** Throws a StartError if the folder has no manifest, or one that Shelf did not write. */
export function readManifest(folder: string): Manifest {
  const path = join(folder, manifestName);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new StartError(
      code === 'ENOENT'
        ? `${folder} has no ${manifestName}: it is not a complete export of shelf export.`
        : `Cannot read ${path} (${message}): check the path and its permissions.`,
    );
  }
  const manifest = manifestIn(text);
  if (typeof manifest === 'string') throw new StartError(`${path} is not a manifest of shelf export: ${manifest}.`);
  return manifest;
}

/** Returns the problem if there is one. */
function manifestIn(text: string): Manifest | string {
  let value: unknown;
  try {
    value = parsePlain(text);
  } catch {
    return 'it is not JSON';
  }
  if (!isObject(value)) return 'it is not an object';
  if (value.format !== format) return `its format is not "${format}"`;
  const { version, at, last_number: lastNumber, collections } = value;
  if (typeof version !== 'string' || typeof at !== 'string' || !Array.isArray(collections))
    return 'a member is missing';
  if (!isCount(lastNumber)) return wrongCount('last_number', lastNumber);
  const read = collections.map(exportedIn);
  const problem = read.find((one) => typeof one === 'string');
  if (problem !== undefined) return problem;
  const all = read.filter((one) => typeof one !== 'string');
  if (new Set(all.map(({ name }) => name)).size < all.length) return 'a collection is there twice';
  const declared = checkCollections(all);
  return typeof declared === 'string' ? declared : { version, at, lastNumber, collections: declared };
}

/** The declaration is checked with all others. */
function exportedIn(value: unknown): (Omit<Exported, 'declaration'> & { readonly declaration: unknown }) | string {
  if (!isObject(value)) return 'a collection is not an object';
  const { name, declaration, file, records, sha256 } = value;
  if (typeof name !== 'string' || typeof file !== 'string' || typeof sha256 !== 'string')
    return 'a member of a collection is missing';
  // A file of another folder is none of the export.
  if (file !== fileOf(name)) return `the file of ${shown(name)} has another name`;
  if (!isCount(records)) return wrongCount(`records of ${shown(name)}`, records);
  return { name, declaration, file, records, sha256 };
}

export const fileOf = (name: string) => `${name}.ndjson`;

function isCount(value: unknown): value is number {
  return value === 0 || isNumber(value);
}

function wrongCount(member: string, value: unknown): string {
  return `${member} must be a whole number from 0 to ${highestNumber}, not ${shown(value)}`;
}
