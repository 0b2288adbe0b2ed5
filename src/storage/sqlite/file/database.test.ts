import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { openDatabase } from './database.ts';

const root = join(import.meta.dir, '../../../..');

test('the schema of a file is not trusted, and no statement can write to it', () => {
  using db = openDatabase(join(temporaryFolder(), 'x.db'));
  expect(db.prepare('pragma trusted_schema').get()).toEqual({ trusted_schema: 0 });
  // Defensive mode, which the runtime turns on: it has no interface for it.
  db.run('create table t (x)');
  db.run('pragma writable_schema = on');
  expect(() => db.run("update sqlite_schema set sql = 'create table t (y)'")).toThrow('may not be modified');
});

test('no file is opened in another way', () => {
  const files = [...new Bun.Glob('src/**/*.ts').scanSync(root)].filter((file) => !file.endsWith('.test.ts'));
  const opening = files.filter((file) => /new Database\((?!':memory:'\))/.test(readFileSync(join(root, file), 'utf8')));
  expect(opening).toEqual(['src/storage/sqlite/file/database.ts']);
});
