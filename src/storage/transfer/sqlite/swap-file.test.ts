import { expect, test } from 'bun:test';
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { settle, swapIn } from './swap-file.ts';

const root = temporaryFolder();
let made = 0;

function folderWith(files: Readonly<Record<string, string>>) {
  const folder = join(root, String(made++));
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const path = (name: string) => join(folder, name);
  const found = () => Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(path(name), 'utf8')]));
  return { path, found };
}

test('the new file has the name, and the old one is kept with its logs', () => {
  const { path, found } = folderWith({ db: 'old', 'db-wal': 'log', 'db-shm': 'index', next: 'new' });
  expect(swapIn(path('next'), path('db'), path('kept'))).toBe(path('kept'));
  expect(found()).toEqual({ db: 'new', kept: 'old', 'kept-wal': 'log' });
});

test('without an old file, none is kept', () => {
  const { path, found } = folderWith({ next: 'new' });
  expect(swapIn(path('next'), path('db'), path('kept'))).toBeUndefined();
  expect(found()).toEqual({ db: 'new' });
});

test('a swap that was killed before the new file was in place is undone', () => {
  const { path, found } = folderWith({ db: 'old', 'db-wal': 'log' });
  linkSync(path('db'), path('.db.old'));
  linkSync(path('db-wal'), path('.db.old-wal'));
  settle(path('db'), path('kept'));
  expect(found()).toEqual({ db: 'old', 'db-wal': 'log' });
});

test('a swap that was killed after that is completed: the log belongs to the old file', () => {
  const { path, found } = folderWith({ db: 'new', '.db.old': 'old', '.db.old-wal': 'log' });
  linkSync(path('.db.old-wal'), path('db-wal'));
  settle(path('db'), path('kept'));
  expect(found()).toEqual({ db: 'new', 'kept-killed': 'old', 'kept-killed-wal': 'log' });
});

test('a log that was put aside without its database is removed', () => {
  const { path, found } = folderWith({ db: 'old', '.db.old-wal': 'log' });
  settle(path('db'), path('kept'));
  expect(found()).toEqual({ db: 'old' });
});
