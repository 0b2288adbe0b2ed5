import { expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { apiKey, contentsOf, itemsNamed, makeDatabase, quietly } from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { transfer } from '../transfer.ts';
import { openSqliteSource } from './sqlite-source.ts';
import { openSqliteTarget } from './sqlite-target.ts';

const root = temporaryFolder();
const options = { declared: [items], keepsApiKeys: true, advice: 'choose another' };

test('the file has its name only when it is complete, and is for its owner alone', async () => {
  const folder = join(root, 'new');
  const path = join(folder, 'a.db');
  const dropped = await openSqliteTarget(path, options);
  expect(readdirSync(folder)).toContain('.a.db.partial');
  expect(readdirSync(folder)).not.toContain('a.db');
  await expect(openSqliteTarget(path, options)).rejects.toThrow('is in use by another Shelf server');
  await dropped.close();
  expect(readdirSync(folder)).toEqual(['a.db-lock']);
  const target = await openSqliteTarget(path, options);
  await transfer(contentsOf(itemsNamed('one')), target, quietly);
  await target.close();
  expect(readdirSync(folder).sort()).toEqual(['a.db', 'a.db-lock']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  // Its note says that it is the file that was written here: not a copy.
  await (await openSqliteSource(path, [items], 'exclusive')).close();
});

test('the API keys and the last number of an empty database are kept', async () => {
  const path = join(root, 'kept.db');
  const contents = contentsOf([], { api_keys: [apiKey] });
  const parts = contents.outline.parts.map((part) => ({ ...part, last: 7 }));
  await makeDatabase(`sqlite:${path}`, { ...contents, outline: { ...contents.outline, parts } });
  const target = await openSqliteTarget(path, options);
  expect([target.apiKeys, target.reached]).toEqual([[apiKey], 7]);
  await target.close();
  await expect(openSqliteTarget(path, { ...options, keepsApiKeys: false })).rejects.toThrow('it has API keys');
});
