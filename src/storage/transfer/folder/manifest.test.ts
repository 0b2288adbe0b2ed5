import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { at } from '../../../../test/support/data/made-database.ts';
import { manifestName, readManifest, writeManifest } from './manifest.ts';

const declaration = { singular: 'note', fields: { weight: { type: 'number', max: 10.5 } } };
const notes = { name: 'notes', declaration, file: 'notes.ndjson', records: 2, sha256: 'abc' };
const manifest = { version: '1.2.3', at, lastNumber: 7, collections: [notes] };
const root = temporaryFolder();
let made = 0;

function newFolder(): string {
  const folder = join(root, String(made++));
  mkdirSync(folder);
  return folder;
}

test('a manifest is read as it was written, and nothing else is left in the folder', () => {
  const folder = newFolder();
  writeManifest(folder, manifest);
  expect(readManifest(folder)).toEqual(manifest);
  expect(readdirSync(folder)).toEqual([manifestName]);
});

test('without a manifest, an export is not complete', () => {
  const folder = newFolder();
  expect(() => readManifest(folder)).toThrow(`${folder} has no manifest.json: it is not a complete export`);
});

test.each([
  ['it is not JSON', (text: string) => text.slice(1)],
  ['its format is not "shelf export 1"', (text: string) => text.replace('export 1', 'export 2')],
  ['a member is missing', (text: string) => text.replace('"version"', '"other"')],
  [
    'last_number must be a whole number from 0 to 2251799813685248, not -7',
    (text: string) => text.replace(': 7', ': -7'),
  ],
  ['the file of "notes" has another name', (text: string) => text.replace('notes.ndjson', '../notes.ndjson')],
  ['records of "notes" must be a whole number', (text: string) => text.replace('"records":2', '"records":2.5')],
  ['notes.fields.weight.max: must be', (text: string) => text.replace(/"max":[^}]*/, '"max":"x"')],
])('refused: %s', (problem, change) => {
  const folder = newFolder();
  writeManifest(folder, manifest);
  const path = join(folder, manifestName);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, change(text));
  expect(() => readManifest(folder)).toThrow(`${path} is not a manifest of shelf export: ${problem}`);
});

test('no collection is there twice', () => {
  const folder = newFolder();
  writeManifest(folder, { ...manifest, collections: [notes, notes] });
  expect(() => readManifest(folder)).toThrow('a collection is there twice');
});
