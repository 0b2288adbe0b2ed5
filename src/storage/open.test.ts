/** What is refused before a database is opened; what an open one does is in store.test.ts. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { engineOptions } from '../../test/engine.ts';
import { temporaryFolder } from '../../test/folder.ts';
import { collections } from '../collections/registry.ts';
import { StartError } from '../domain/errors.ts';
import { type Engine, openEngine } from './open.ts';

const missing = join(temporaryFolder(), 'missing.db');

test.each<[Engine, RegExp]>([
  [{ kind: 'memory' }, /^memory: .*--database-must-exist/],
  [{ kind: 'sqlite', path: missing }, /missing\.db does not exist and --database-must-exist/],
])('where a database must exist, the operator is told why %j is refused', (engine, message) => {
  const open = () => openEngine(engine, collections, { ...engineOptions, databaseMustExist: true });
  expect(open).toThrow(StartError);
  expect(open).toThrow(message);
});
