/** Exports, databases and backups from elsewhere: no declaration in them does harm. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { backup } from '../src/cli/data/backup.ts';
import { StartError } from '../src/domain/errors.ts';
import { parsePlain, plainJson } from '../src/domain/plain.ts';
import { runExport, runImport, runMove, runRestore } from './data-commands.ts';
import { engineOf } from './engine.ts';
import { lastingEngines } from './engines.ts';
import { temporaryFolder } from './folder.ts';
import { declared, libraryFile } from './library.ts';
import { newDatabase, postgresUrl } from './postgres/database.ts';
import { startServer } from './server.ts';

const folder = temporaryFolder();
const engines = lastingEngines();
const collections = declared(libraryFile);
let made = 0;
const newPath = (end = '') => join(folder, `${made++}${end}`);

/** A database with a record of each kind, its export and its backup; on PostgreSQL, too, if there is one. */
const source = newPath('.db');
const [exported, copy] = [newPath(), newPath('.db')];
let postgres: string | undefined;
beforeAll(async () => {
  const server = await startServer({ database: `sqlite:${source}`, collections });
  const post = async (path: string, body: string) => {
    const { status } = await fetch(`${server.url}/api/v2/${path}`, { method: 'POST', body });
    expect(status).toBe(201);
  };
  await post('authors', '{"name":"Borges"}');
  await post('books', '{"title":"T","isbn":"9780000000001","price":"1","author":1}');
  await server.stop();
  expect(await runExport(`sqlite:${source}`, exported)).toStartWith('Exported 4 records');
  backup(engineOf(`sqlite:${source}`), copy, collections);
  if (postgresUrl === undefined) return;
  postgres = await newDatabase();
  expect(await runMove(`sqlite:${source}`, postgres)).toStartWith('Moved 4 records');
});

/** The file that an attack would write: where PostgreSQL can, too. */
const loot = join(tmpdir(), `shelf-test-loot-${process.pid}`);
afterAll(() => rmSync(loot, { force: true }));

type Changing = (text: string) => string;
/** Changes a text, which must be there. */
const replacing =
  (from: string | RegExp, to: string): Changing =>
  (text) => {
    const changed = text.replace(from, () => to);
    expect(changed).not.toBe(text);
    return changed;
  };

function changedExport(change: Changing): string {
  const path = newPath();
  cpSync(exported, path, { recursive: true });
  const manifest = join(path, 'manifest.json');
  writeFileSync(manifest, change(readFileSync(manifest, 'utf8')));
  return path;
}

/** A copy of a database file that `change` has changed. Without a mark, the source does not count as a copy. */
function changedFile(from: string, change: (db: Database) => void): string {
  const path = newPath('.db');
  copyFileSync(from, path);
  using db = new Database(path);
  if (from === source) db.run('pragma user_version = 0');
  change(db);
  return path;
}

function remembering(change: Changing): (db: Database) => void {
  return (db) => {
    const { value } = db
      .prepare<{ value: string }, []>("select value from settings where name = 'collections'")
      .get() ?? {
      value: '',
    };
    db.run("update settings set value = ? where name = 'collections'", [change(value)]);
  };
}

/** Runs `use` while a setting of a PostgreSQL database is another one. */
async function withSetting(
  url: string,
  name: string,
  change: Changing,
  use: (url: string) => Promise<string>,
): Promise<string> {
  const sql = new SQL({ url, max: 1 });
  const put = async (value: string | undefined) => {
    await sql`delete from settings where name = ${name}`;
    if (value !== undefined) await sql`insert into settings values (${name}, ${value})`;
  };
  const [row] = await sql`select value from settings where name = ${name}`.values();
  const before: string | undefined = row?.[0];
  try {
    await put(change(before ?? ''));
    return await use(url);
  } finally {
    await put(before);
    await sql.close();
  }
}

/** The line that a start fails with. */
async function startOf(database: string): Promise<string> {
  try {
    const server = await startServer({ database, collections });
    await server.stop();
    return 'started';
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return `failed: ${error.message}`;
  }
}

type Way = readonly [name: string, open: (change: Changing) => Promise<string>];
const onPostgres: readonly Way[] = [
  [
    'a move from PostgreSQL',
    (change) => withSetting(postgres ?? '', 'collections', change, (url) => runMove(url, `sqlite:${newPath('.db')}`)),
  ],
  ['a start on PostgreSQL', (change) => withSetting(postgres ?? '', 'collections', change, startOf)],
];
/** Every way for declarations to come from elsewhere, with the line that a command fails with. */
const ways: readonly Way[] = [
  ['an import', (change) => runImport(`sqlite:${newPath('.db')}`, changedExport(change))],
  [
    'a move from SQLite',
    (change) => runMove(`sqlite:${changedFile(source, remembering(change))}`, `sqlite:${newPath('.db')}`),
  ],
  ['a restore', (change) => runRestore(newPath('.db'), changedFile(copy, remembering(change)))],
  ['a start', (change) => startOf(`sqlite:${changedFile(copy, remembering(change))}`)],
  ...(postgresUrl === undefined ? [] : onPostgres),
];

const quote = (text: string) => JSON.stringify(text).slice(1, -1);
/** Ends the statement on SQLite, and writes a file. */
const attach = `authors" (seq)) strict; commit; attach database '${loot}' as p; create table p.t (a); begin; --`;
/** The same on PostgreSQL, with a command of the host. */
const program = `authors"); copy (select 1) to program 'touch ${loot}'; --`;

describe.each(ways)('%s', (_, open) => {
  test.each<[string, Changing, RegExp]>([
    [
      'a reference that ends a statement',
      replacing('"to":"authors"', `"to":"${quote(attach)}"`),
      /books\.fields\.author: there is no collection "authors\\" \(seq\)\) strict; commit; attach[^;]{0,40}\.\.\.; known/,
    ],
    [
      'a reference that is no text',
      replacing('"to":"authors"', '"to":{}'),
      /books\.fields\.author\.to: must be the name/,
    ],
    [
      'a field with another name',
      replacing('"born":', '"bo\\"rn\\u001b[2J\\n":'),
      /authors\.fields\.bo"rn\\u001b\[2J\\u000a: must have only lower-case letters/,
    ],
    [
      'a field with a long name',
      replacing('"born":', `"${'x'.repeat(5000)}":`),
      /authors\.fields\.x{60}\.\.\.: must have at most 50 characters/,
    ],
    ['a field of PostgreSQL', replacing('"born":', '"ctid":'), /authors\.fields\.ctid: "ctid" is reserved/],
    ['an index on nothing', replacing('["author",', '["x\\" desc); --",'), /books\.indexes\[0\]: there is no field/],
    [
      'a scale that is no number',
      replacing('"scale":2', '"scale":"2); --"'),
      /books\.fields\.price\.scale: must be a whole/,
    ],
    ['a choice that is none', replacing('["draft","published"]', '[{}]'), /books\.fields\.state\.of: must be a list/],
    [
      'a default that does not fit',
      replacing('"default":0.5', '"default":"x"'),
      /books\.fields\.weight\.default: must be/,
    ],
    [
      'elements of no type',
      replacing('"of":"integer"', '"of":"; --"'),
      /books\.fields\.ratings\.of\.type: there is no/,
    ],
    [
      'a type of no type',
      replacing('"type":"date"', '"type":["date"]'),
      /authors\.fields\.born\.type: there is no type a list/,
    ],
    [
      'a first record that does not fit',
      replacing('"name":"Widget"', '"name":7'),
      /items\.first\.name: must be a string/,
    ],
    [
      'a contract that is none',
      replacing('"operations":["fetch"]', '"operations":"all"'),
      /items\.contract: must be true/,
    ],
    [
      'fields that are none',
      replacing(/"fields":\{"name":\{"type":"text"\}\}/, '"fields":[]'),
      /users\.fields: must be an object/,
    ],
    ['a declaration that is none', replacing(/\{"singular":"user".*?"id":"id"\}\}/, '7'), /users: must be an object/],
  ])('%s is refused in one line', async (_, change, expected) => {
    const line = await open(change);
    expect(line).toStartWith('failed: ');
    expect(line).toMatch(expected);
    expect(line).not.toContain('\n');
    expect(line.length).toBeLessThan(700);
    expect(existsSync(loot)).toBe(false);
  });
});

const remembered = ways.filter(([name]) => name !== 'an import');
test.each(remembered)('%s: what is remembered has the form of Shelf', async (_, open) => {
  const cases: [Changing, RegExp][] = [
    [() => '[]', /the collections must be an object, not a list/],
    [() => '{', /the collections are not JSON/],
    [replacing('"books":{', '"bo\\"oks":{'), /bo"oks: must have only lower-case/],
    [replacing('"books":{', '"settings":{'), /settings: "settings" is reserved/],
    [replacing(/"earlier":\[\]/, '"earlier":[{"fields":7}]'), /\.earlier\[0\]\.fields: must be an object/],
    [replacing(/"earlier":\[\]/, '"earlier":[],"formerly":["x\\" --"]'), /\.formerly: must be a list of names/],
  ];
  for (const [change, expected] of cases) expect(await open(change)).toMatch(expected);
  const long = replacing('"reviews":{', `"${'x'.repeat(5000)}":{`);
  const line = await open((text) => long(replacing('"to":"publishers"', '"to":"nothing"')(text)));
  expect(line).toMatch(/authors\.fields\.publisher: there is no collection "nothing"/);
  expect(line.length).toBeLessThan(700);
});

test('a move says which of the two databases is wrong', async () => {
  const path = changedFile(source, remembering(replacing('"to":"authors"', '"to":"nothing"')));
  expect(await runMove(`sqlite:${path}`, `sqlite:${newPath('.db')}`)).toStartWith(`failed: ${path} has a declaration that`);
});

test('a table that a database does not remember has names of fields, too', async () => {
  const path = changedFile(copy, (db) => {
    db.run("delete from settings where name = 'collections'");
    db.run('alter table items add column "x""y" text');
  });
  expect(await startOf(`sqlite:${path}`)).toMatch(/^failed: .+items\.fields\.x"y: must have only lower-case letters/);
});

test.each(remembered)('%s accepts what was right in another release', async (name, open) => {
  const line = await open((text) => {
    // A pattern that no release accepts any more, and options of a newer one.
    const pattern = replacing('"pattern":"^[0-9]{13}$"', '"pattern":"(","shape":7');
    const option = replacing('"singular":"author"', '"singular":"author","colour":"red"');
    // A server does not use this collection. The other commands would look for its table.
    const field = { type: 'uuid', of: 1, default: 7 };
    const now = { singular: 'new', fields: { a: field, b: { type: 'text' } }, indexes: ['a'], first: { b: 'c' } };
    const newer = { now, earlier: [], since: 1 };
    const all = parsePlain(option(pattern(text))) as object;
    return plainJson(name.startsWith('a start') ? { ...all, newer } : all);
  });
  // On PostgreSQL only shelf migrate narrows the bounds.
  expect(line).toMatch(/^(?:Moved|Restored|started|failed: The database does not fit the declared collections)/);
});

test.each(remembered.filter(([name]) => name.startsWith('a move')))(
  '%s with a type of a newer Shelf says so',
  async (_, open) => {
    expect(await open(replacing('"type":"date"', '"type":"uuid"'))).toMatch(
      /there is no field type uuid in this version of Shelf/,
    );
  },
);

describe.each(engines)('%s', (engine, newUrl) => {
  test('an import does not run what a declaration says', async () => {
    const hostile = changedExport(
      replacing('"to":"authors"', `"to":"${quote(engine === 'sqlite' ? attach : program)}"`),
    );
    const database = await newUrl();
    expect(await runImport(database, hostile)).toMatch(/manifest of shelf export: books\.fields\.author: there is no/);
    expect(existsSync(loot)).toBe(false);
    expect(await runImport(database, exported)).toStartWith('Imported 4 records');
  });
});
