/** test/releases has a database of every release, and of this version as it is now. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { migrations as postgresMigrations } from '../../src/storage/postgres/schema/migrations.ts';
import { migrations as sqliteMigrations } from '../../src/storage/sqlite/schema/migrations.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { root } from '../support/servers/process.ts';

const releases = join(root, 'test/releases');
const fixtures = readdirSync(releases);

test('there is a fixture for every earlier release', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const versions = [...changelog.matchAll(/^## (\S+)/gm)].map(([, version]) => version ?? '');
  const before = versions.filter((version) => Bun.semver.order(version, packageJson.version) < 0);
  expect(before).toContain('0.1.0');
  for (const version of before) {
    expect(fixtures).toContain(`${version}.db`);
    if (Bun.semver.order(version, '0.3.0') >= 0) expect(fixtures).toContain(`${version}.sql`);
  }
});

/** A migration that is added before the release makes the fixtures old: README.md beside them says how to make them again. */
test('the fixtures of this version have all of its migrations', () => {
  const own = join(releases, packageJson.version);
  // Even a reader makes files beside a database.
  const copy = join(temporaryFolder(), 'copy.db');
  copyFileSync(`${own}.db`, copy);
  const file = new Database(copy);
  const inFile = file.query('select version from schema_version').values();
  file.close();
  expect(inFile).toEqual([[sqliteMigrations.length]]);
  const [, inDump] = /schema_version VALUES \((\d+)\)/.exec(readFileSync(`${own}.sql`, 'utf8')) ?? [];
  expect(Number(inDump)).toBe(postgresMigrations.length);
});
