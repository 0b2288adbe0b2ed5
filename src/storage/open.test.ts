/** URLs and options that are refused before a database is opened; store.test.ts tests open databases. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/data/folder.ts';
import { engineOptions } from '../../test/support/servers/engine.ts';
import { collections } from '../collections/registry.ts';
import { StartError } from '../domain/errors.ts';
import { type Engine, openEngine, parseEngine } from './open.ts';

const missing = join(temporaryFolder(), 'missing.db');

test.each<[Engine, RegExp]>([
  [{ kind: 'memory' }, /^memory: .*--database-must-exist/],
  [{ kind: 'sqlite', path: missing }, /missing\.db does not exist and --database-must-exist/],
])('with --database-must-exist, %j is refused with the reason', (engine, message) => {
  const open = () =>
    openEngine(engine, collections, {
      ...engineOptions,
      database: { ...engineOptions.database, mustExist: true },
    });
  expect(open).toThrow(StartError);
  expect(open).toThrow(message);
});

test.each([
  'postgres://host/name',
  'postgresql://user:p%40ss@host:5433/name',
  'postgres://host/name?sslmode=disable',
  'postgres://host/name?sslmode=prefer',
  'postgres://host/name?sslmode=require',
  'postgres://host/name?sslmode=verify-ca',
  'postgres://host/name?sslmode=verify-full',
  'postgres://user:p%40ss@one,two:5433,[::1]:5434/name?sslmode=require',
  'postgres://one,two/name?target_session_attrs=read-write',
])('%s names a PostgreSQL database', (url) => {
  expect(parseEngine(url)).toEqual({ kind: 'postgres', url });
});

test.each([
  ['has no host', 'postgres:///name'],
  ['has an empty host among others', 'postgres://one,,two/name'],
  ['has a port that is no number among others', 'postgres://one,two:port/name'],
  ['has no database', 'postgres://host'],
  ['has no database after its slash', 'postgres://host/'],
  ['has more than a database in its path', 'postgres://host/name/more'],
  ['has a fragment', 'postgres://host/name#fragment'],
  ['has an unknown parameter', 'postgres://host/name?application_name=shelf'],
  ['has a known and an unknown parameter', 'postgres://host/name?sslmode=require&application_name=shelf'],
  ['has an empty sslmode', 'postgres://host/name?sslmode='],
  ['has an unknown sslmode', 'postgres://host/name?sslmode=allow'],
  ['has a password that is not percent-encoded', 'postgres://user:100%@host/name'],
])('a URL that %s is refused: %s', (_, url) => {
  expect(parseEngine(url)).toBeUndefined();
});

test('a URL that asks for a standby is refused with the reason', () => {
  const parse = () => parseEngine('postgres://user:secret@one,two/name?target_session_attrs=prefer-standby');
  expect(parse).toThrow(StartError);
  expect(parse).toThrow(/^Invalid target_session_attrs "prefer-standby" .* set it to read-write or primary\.$/);
  expect(parse).not.toThrow(/secret/);
});
