/** What another program added to the schema of a SQLite file is refused by name, before any of its code can run. */
import { Database } from 'bun:sqlite';
import { beforeAll, describe, expect, mock, test } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { users } from '../../src/collections/users.ts';
import { openEngine } from '../../src/storage/open.ts';
import { atStart } from '../../src/storage/sqlite/schema/evolution.ts';
import { migrate } from '../../src/storage/sqlite/schema/schema.ts';
import { restoreFile } from '../../src/storage/transfer/sqlite/restore-file.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { fullCollections } from '../support/data/full-database.ts';
import { declared } from '../support/data/library.ts';
import { dataOptions, runExport, runImport, runRestore, runVerify } from '../support/servers/data-commands.ts';
import { engineOf, engineOptions } from '../support/servers/engine.ts';

const folder = temporaryFolder();
let made = 0;
const newPath = () => join(folder, `${made++}.db`);

function open(path: string, collections = fullCollections) {
  return openEngine(engineOf(`sqlite:${path}`), collections, engineOptions);
}

/** Another program: runs statements on a file. */
function tamper(path: string, statements: readonly string[]): void {
  using db = new Database(path);
  for (const statement of statements) db.run(statement);
}

const whole = newPath();
beforeAll(() => open(whole).admin.close());

/** A copy of the whole database, and then what another program did to it. */
function tampered(statements: readonly string[]): string {
  const path = newPath();
  copyFileSync(whole, path);
  tamper(path, statements);
  return path;
}

const drop = 'drop it with an SQL client';
const undo = 'undo that with an SQL client, or restore a backup';
/** If the code of a trigger runs, the error is another one. */
const runs = "begin select raise(fail, 'the trigger ran'); end";

const strangers: readonly [kind: string, statements: readonly string[], line: string][] = [
  [
    'a trigger on records',
    [`create trigger evil before insert on items ${runs}`],
    `unknown trigger "evil" on table "items": ${drop}`,
  ],
  [
    'a trigger on a table that each start writes to',
    [`create trigger evil before insert on settings ${runs}`, "delete from settings where name = 'lineage'"],
    `unknown trigger "evil" on table "settings": ${drop}`,
  ],
  ['a view', ['create view evil as select * from items'], `unknown view "evil": ${drop}`],
  ['a virtual table', ['create virtual table evil using fts5(x)'], `unknown virtual table "evil": ${drop}`],
  ['a table', ['create table evil (seq integer, id integer)'], `unknown table "evil": ${drop}`],
  [
    'a table like a collection, with a name that none can have',
    [
      `create table "Evil" (seq integer primary key autoincrement, "id" integer not null, version integer not null,
         created_at text not null, updated_at text not null) strict`,
      'create index "Evil_by_id" on "Evil" (id, seq)',
    ],
    `unknown table "Evil": ${drop}`,
  ],
  ['an index', ['create index evil on items (name)'], `unknown index "evil" on table "items": ${drop}`],
  [
    'an index in the place of a declared one',
    ['drop index items_by_id', 'create index items_by_id on items (id, seq) where id > 0'],
    `changed index "items_by_id" on table "items": ${undo}`,
  ],
  ['a column', ['alter table items add column evil text'], `unknown column "evil" of table "items": ${drop}`],
  [
    'a computed column',
    ['alter table changes add column evil text as (upper(record))'],
    `unknown column "evil" of table "changes": ${drop}`,
  ],
  ['a missing column', ['alter table books drop column weight'], `missing column "weight" of table "books": ${undo}`],
  [
    'a changed column',
    ['alter table books drop column weight', "alter table books add column weight any default (upper('x'))"],
    `changed column "weight" of table "books": ${undo}`,
  ],
  ['a missing table', ['drop table idempotency_keys'], `missing table "idempotency_keys": ${undo}`],
];

describe.each(strangers)('%s', (_, statements, line) => {
  const refused = (path: string) => `Another program changed the schema of ${path}, and nothing was done: `;

  test('is refused by a start', () => {
    const path = tampered(statements);
    expect(() => open(path)).toThrow(refused(path));
    expect(() => open(path)).toThrow(line);
  });

  test('is refused by a restore', async () => {
    const [backup, path] = [tampered(statements), newPath()];
    const answer = await runRestore(path, backup);
    expect(answer).toStartWith(`failed: ${refused(backup)}`);
    expect(answer).toContain(line);
    expect(existsSync(path)).toBe(false);
  });

  test('is found by verify', async () => {
    const { isRight, lines } = await runVerify(`sqlite:${tampered(statements)}`);
    expect(isRight).toBe(false);
    expect(lines).toContain(line);
  });
});

describe('a trigger that a migration would run', () => {
  const trigger = `create trigger evil before update on schema_version ${runs}`;
  const line = `unknown trigger "evil" on table "schema_version": ${drop}.`;
  function earlier(): string {
    const path = newPath();
    copyFileSync(join(import.meta.dir, '../releases/0.4.1.db'), path);
    return path;
  }
  async function restore(from: string, to: string, onCopied: () => void): Promise<string> {
    const { collections: declared, signal } = dataOptions;
    const restored = restoreFile(from, to, { declared, signal, onCopied, onCheck: () => {} });
    return restored.then(() => 'restored').catch((error: Error) => error.message);
  }

  test('is refused by a start', () => {
    const path = earlier();
    tamper(path, [trigger]);
    expect(() => open(path)).toThrow(line);
  });

  test('is refused by a restore before the file is copied', async () => {
    const backup = earlier();
    tamper(backup, [trigger]);
    const onCopied = mock();
    expect(await restore(backup, newPath(), onCopied)).toEndWith(line);
    expect(onCopied).not.toHaveBeenCalled();
  });

  test('is refused by a restore if it comes while the file is copied', async () => {
    const path = newPath();
    const copy = join(folder, `.${basename(path)}.partial`);
    expect(await restore(earlier(), path, () => tamper(copy, [trigger]))).toEndWith(line);
  });
});

test('an import does not add records to a file with a trigger', async () => {
  const [path, exported] = [newPath(), join(folder, 'exported')];
  expect(await runExport(`sqlite:${whole}`, exported)).toStartWith('Exported');
  await open(path).admin.close();
  tamper(path, [`create trigger evil before insert on changes ${runs}`]);
  expect(await runImport(`sqlite:${path}`, exported, true)).toContain(
    `unknown trigger "evil" on table "changes": ${drop}`,
  );
});

test('a migration does not leave what the next start would refuse', () => {
  using db = new Database(':memory:');
  const books = (fields: object) => declared({ books: { singular: 'book', fields } });
  migrate(db, books({ title: 'text' }), 'x.db');
  const after = books({ title: 'text', pages: { type: 'integer', optional: true } });
  const onStep = () => db.run('create index evil on items (name)');
  expect(() => migrate(db, after, 'x.db', { ...atStart, onStep })).toThrow('unknown index "evil"');
});

test('a missing index is found by verify, and a start makes it', async () => {
  const path = tampered(['drop index items_by_id']);
  expect((await runVerify(`sqlite:${path}`)).lines.join()).toContain('missing index "items_by_id" on table "items"');
  expect(await runRestore(newPath(), path)).toStartWith('Restored');
  await open(path).admin.close();
  expect((await runVerify(`sqlite:${path}`)).isRight).toBe(true);
});

test('the statistics of SQLite and the tables of Litestream are no change', async () => {
  const litestream = ['_litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)', '_litestream_lock (id INTEGER)'];
  const path = tampered(['analyze', ...litestream.map((table) => `create table ${table}`)]);
  expect((await runVerify(`sqlite:${path}`)).isRight).toBe(true);
  await open(path).admin.close();
});

test('tables of an earlier release that are not declared stay, and are not served', async () => {
  const path = newPath();
  copyFileSync(join(import.meta.dir, '../releases/0.5.0.db'), path);
  await open(path, [users]).admin.close();
  await open(path, [users]).admin.close();
  const { lines } = await runVerify(`sqlite:${path}`, [users]);
  expect(lines).toEqual([expect.stringContaining(': nothing is wrong.')]);
});

describe('the lock file beside a database', () => {
  test('is not used if another program changed its schema', async () => {
    const path = newPath();
    await open(path).admin.close();
    tamper(`${path}-lock`, [`create trigger evil before delete on note ${runs}`]);
    expect(() => open(path)).toThrow(`Cannot lock ${path}-lock (it has the trigger "evil")`);
  });

  test('is not a link', () => {
    const [path, other] = [newPath(), newPath()];
    writeFileSync(other, '');
    symlinkSync(other, `${path}-lock`);
    expect(() => open(path)).toThrow('ELOOP');
    expect(readFileSync(other, 'utf8')).toBe('');
  });
});
