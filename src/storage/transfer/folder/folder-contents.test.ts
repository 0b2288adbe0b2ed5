import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { apiKey, at, contentsOf, itemsNamed, quietly } from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { farJump } from '../../../domain/feed/feed-history.ts';
import { ownTables } from '../contents.ts';
import { differences, tally } from '../digest.ts';
import { exportTo } from './export-folder.ts';
import { folderContents, promised, recordsIn } from './folder-contents.ts';
import { readManifest } from './manifest.ts';

const root = temporaryFolder();
const records = itemsNamed('one', 'two', 'three');
let made = 0;

async function exported() {
  const folder = join(root, String(made++));
  await exportTo(folder, contentsOf(records), { ...quietly, version: 'test', at });
  return { folder, manifest: readManifest(folder), file: join(folder, 'items.ndjson') };
}

test('an export has its records, no history, and the API keys that the database keeps', async () => {
  const { folder, manifest } = await exported();
  const contents = folderContents(folder, manifest, { apiKeys: [apiKey], reached: 9 });
  const tallies = await tally(contents, quietly);
  expect(promised(manifest).get('items')).toEqual(tallies.get('items') as never);
  expect(differences(tallies, await tally(contentsOf(records, { api_keys: [apiKey] }), quietly))).toEqual([]);
  const next = 9 + farJump;
  expect(contents.outline).toMatchObject({ trimmed: next, gaps: [[0, next]], changes: { kept: 0, last: next } });
  expect(contents.outline.parts.map(({ last }) => last)).toEqual([next]);
  const none = folderContents(folder, manifest, { apiKeys: [], reached: 0 });
  expect(ownTables.flatMap((table) => [...(none.rows(table) as unknown[][])])).toEqual([]);
});

test.each([
  ['line 2: the record must be a JSON object', (lines: readonly string[]) => lines.with(1, '[]')],
  ['line 3: the id 2 is not above the one before', (lines: readonly string[]) => lines.with(2, lines[1] ?? '')],
  [
    'line 1: id or version is above last_number of the manifest, which is 3',
    (lines: readonly string[]) => lines.with(0, (lines[0] ?? '').replace('"version":1', '"version":4')),
  ],
])('a file that was changed is refused: %s', async (problem, change) => {
  const { folder, manifest, file } = await exported();
  writeFileSync(file, change(readFileSync(file, 'utf8').split('\n')).join('\n'));
  expect(() => [...recordsIn(folder, items, manifest)]).toThrow(`${file}, ${problem}. The export was changed or is`);
});

test('a file that is missing is refused', () => {
  expect(() => [...recordsIn(root, items, { lastNumber: 1 })]).toThrow('the export is not complete');
});
