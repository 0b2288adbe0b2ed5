import { expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { at, contentsOf, itemsNamed, quietly } from '../../../../test/support/data/made-database.ts';
import { exportTo, requireNewFolder } from './export-folder.ts';
import { readManifest } from './manifest.ts';

const root = temporaryFolder();
const options = { ...quietly, version: 'test', at };

test('each collection is a file of its own, for its owner alone, with its digest in the manifest', async () => {
  const folder = join(root, 'new', 'export');
  const collections = await exportTo(folder, contentsOf(itemsNamed('one', 'two')), options);
  expect(readdirSync(folder).sort()).toEqual(['items.ndjson', 'manifest.json']);
  const text = readFileSync(join(folder, 'items.ndjson'), 'utf8');
  expect(text.split('\n').map((line) => line.slice(0, 9))).toEqual(['{"id":1,"', '{"id":2,"', '']);
  expect(statSync(join(folder, 'items.ndjson')).mode & 0o777).toBe(0o600);
  const sha256 = new Bun.CryptoHasher('sha256').update(text).digest('hex');
  expect(collections).toMatchObject([{ name: 'items', records: 2, sha256 }]);
  expect(readManifest(folder)).toMatchObject({ version: 'test', at, lastNumber: 2, collections: [{ sha256 }] });
});

test('an export that fails or is stopped leaves nothing', async () => {
  const folder = join(root, 'stopped');
  const signal = AbortSignal.abort(new Error('stopped'));
  const contents = contentsOf(itemsNamed('one'));
  await expect(exportTo(folder, contents, { ...options, signal })).rejects.toThrow('stopped');
  expect(existsSync(folder)).toBe(false);
  mkdirSync(folder);
  await expect(exportTo(folder, contents, { ...options, signal })).rejects.toThrow('stopped');
  expect(readdirSync(folder)).toEqual([]);
});

test('only a folder that strangers cannot change is used', () => {
  const folder = join(root, 'used');
  mkdirSync(folder);
  requireNewFolder(folder);
  requireNewFolder(join(folder, 'not', 'yet'));
  chmodSync(folder, 0o777);
  expect(() => requireNewFolder(folder)).toThrow(`Every user can write to ${folder} (mode 777)`);
  expect(() => requireNewFolder(join(folder, 'in-it'))).toThrow(`Every user can write to ${folder}`);
  chmodSync(folder, 0o1777);
  requireNewFolder(folder);
  writeFileSync(join(folder, '.items.ndjson.partial'), '');
  expect(() => requireNewFolder(folder)).toThrow('has an export that was interrupted');
  writeFileSync(join(folder, 'manifest.json'), '');
  expect(() => requireNewFolder(folder)).toThrow('is not empty: choose a new folder.');
});
