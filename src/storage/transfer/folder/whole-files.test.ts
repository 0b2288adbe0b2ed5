import { expect, test } from 'bun:test';
import { chmodSync, closeSync, existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { createFile, sync, takeAfter } from './whole-files.ts';

const folder = temporaryFolder();

test('a file is created for its owner alone, and never through a link', () => {
  const path = join(folder, 'new');
  closeSync(createFile(path));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(() => createFile(path)).toThrow('was created by another program at the same time');
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
  expect(() => createFile(join(folder, 'link'))).toThrow('nothing was written to it');
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  expect(() => createFile(join(folder, 'none', 'file'))).toThrow('ENOENT');
});

test('a new file gets the mode of the one that it replaces, if there is one', () => {
  const [old, next] = [join(folder, 'old'), join(folder, 'next')];
  writeFileSync(next, '', { mode: 0o600 });
  takeAfter(next, old);
  expect(statSync(next).mode & 0o777).toBe(0o600);
  writeFileSync(old, '');
  chmodSync(old, 0o640);
  takeAfter(next, old);
  expect(statSync(next).mode & 0o777).toBe(0o640);
});

test('a folder can be synced, and a missing file cannot', () => {
  sync(folder);
  expect(() => sync(join(folder, 'missing'))).toThrow('ENOENT');
});
