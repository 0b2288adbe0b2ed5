import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { contentsOf, itemsNamed, makeDatabase, optionsOf } from '../../../test/support/data/made-database.ts';
import { engineOf } from '../../../test/support/servers/engine.ts';
import { StartError } from '../../domain/errors.ts';
import { WrongDeclarations } from '../stored-declarations.ts';
import { explained, openMerge, openSource, openTarget } from './open-databases.ts';

const folder = temporaryFolder();

test('memory is no database for a command', async () => {
  const memory = engineOf('memory:');
  const refused = 'memory: stores nothing: choose another database.';
  await expect(openSource(memory, optionsOf('here'), true)).rejects.toThrow(refused);
  await expect(openMerge(memory, optionsOf('here'))).rejects.toThrow(refused);
  const target = openTarget(memory, { ...optionsOf('here'), keepsApiKeys: true, advice: '' });
  await expect(target).rejects.toThrow(refused);
});

const coded = (code: string) => Object.assign(new Error('reason'), { code });
test.each([
  ['The disk of here is full: make room, and run the same command again.', coded('SQLITE_FULL')],
  ['The disk of here is full: make room, and run the same command again.', coded('ENOSPC')],
  ['here is not a SQLite database: choose another one.', coded('SQLITE_NOTADB')],
  ['Cannot use here (reason): check the address, the permissions and the disk, and retry.', coded('EACCES')],
  ['here has a declaration that Shelf cannot have written (a mistake)', new WrongDeclarations('a mistake')],
  ['as it is', new StartError('as it is')],
])('an error is explained: %s', async (message, error) => {
  const failed = explained('here', () => Promise.reject(error));
  await expect(failed).rejects.toBeInstanceOf(StartError);
  await expect(failed).rejects.toThrow(message);
});

test('a mistake of this program is not explained', async () => {
  const mistake = new TypeError('x');
  await expect(explained('here', () => Promise.reject(mistake))).rejects.toBe(mistake);
});

test('an error names the database that it comes from', async () => {
  const path = join(folder, 'text.db');
  writeFileSync(path, 'not a database, and long enough to have a header'.repeat(10));
  await expect(openSource(engineOf(`sqlite:${path}`), optionsOf('there'), false)).rejects.toThrow(
    /^there is not a SQLite/,
  );
});

test('records can be read from an id on', async () => {
  const url = `sqlite:${join(folder, 'from.db')}`;
  await makeDatabase(url, contentsOf(itemsNamed('one', 'two', 'three')));
  const source = await openSource(engineOf(url), optionsOf('there'), true);
  const [part] = source.outline.parts.filter(({ collection }) => collection.name === 'items');
  if (part === undefined) throw new Error('there are items');
  const names: unknown[] = [];
  for await (const batch of source.records(part.collection, 1)) names.push(...batch.map(({ row }) => row.name));
  expect(names).toEqual(['two', 'three']);
  await source.close();
});

test('a record beyond the last id is refused while it is read', async () => {
  const url = `sqlite:${join(folder, 'beyond.db')}`;
  const contents = contentsOf(itemsNamed('one', 'two'));
  const parts = contents.outline.parts.map((part) => ({ ...part, last: 1 }));
  await makeDatabase(url, { ...contents, outline: { ...contents.outline, parts } });
  const source = await openSource(engineOf(url), optionsOf('there'), true);
  const read = async () => {
    for (const { collection } of source.outline.parts) for await (const _ of source.records(collection));
  };
  await expect(read()).rejects.toThrow('Wrong numbers: an id of items is 2');
  await source.close();
});
