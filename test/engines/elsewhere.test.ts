/** Exports, databases and backups from elsewhere: no declaration and no number in them does harm. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { backup } from '../../src/cli/data/backup.ts';
import * as rules from '../../src/declarations/check-stored.ts';
import { StartError } from '../../src/domain/errors.ts';
import { highestNumber } from '../../src/domain/feed/feed-history.ts';
import { parsePlain, plainJson } from '../../src/domain/record/plain-data.ts';
import { storedDeclarationsIn as storedOnPostgres } from '../../src/storage/postgres/schema/evolution.ts';
import { storedDeclarationsIn } from '../../src/storage/sqlite/schema/evolution.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared, libraryFile } from '../support/data/library.ts';
import { runExport, runImport, runMove, runRestore, runVerify } from '../support/servers/data-commands.ts';
import { engineOf } from '../support/servers/engine.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { startServer } from '../support/servers/server.ts';

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

function redeclaring(change: Changing): (db: Database) => void {
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
    (change) => runMove(`sqlite:${changedFile(source, redeclaring(change))}`, `sqlite:${newPath('.db')}`),
  ],
  ['a restore', (change) => runRestore(newPath('.db'), changedFile(copy, redeclaring(change)))],
  ['a start', (change) => startOf(`sqlite:${changedFile(copy, redeclaring(change))}`)],
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

const stored = ways.filter(([name]) => name !== 'an import');
test.each(stored)('%s: a stored declaration has the form of Shelf', async (_, open) => {
  const cases: [Changing, RegExp][] = [
    [() => '[]', /the collections must be an object, not a list/],
    [() => '{', /the collections are not JSON/],
    [replacing('"books":{', '"bo\\"oks":{'), /bo"oks: must have only lower-case/],
    [replacing('"books":{', '"settings":{'), /settings: "settings" is reserved/],
    [replacing(/"earlier":\[\]/, '"earlier":{}'), /items\.earlier: must be a list, not an object/],
    [replacing(/"earlier":\[\]/, '"earlier":[{"fields":7}]'), /\.earlier\[0\]\.fields: must be an object/],
    [replacing(/"earlier":\[\]/, '"earlier":[],"formerly":["x\\" --"]'), /\.formerly: must be a list of names/],
  ];
  for (const [change, expected] of cases) expect(await open(change)).toMatch(expected);
  const long = replacing('"reviews":{', `"${'x'.repeat(5000)}":{`);
  const line = await open((text) => long(replacing('"to":"publishers"', '"to":"nothing"')(text)));
  expect(line).toMatch(/authors\.fields\.publisher: there is no collection "nothing"/);
  expect(line.length).toBeLessThan(700);
});

test('a move and a restore say which of the two databases is wrong', async () => {
  const change = redeclaring(replacing('"to":"authors"', '"to":"nothing"'));
  const file = changedFile(copy, change);
  expect(await runRestore(newPath('.db'), file)).toStartWith(`failed: ${file} is not sound (books.fields.author: `);
  const path = changedFile(source, change);
  expect(await runMove(`sqlite:${path}`, `sqlite:${newPath('.db')}`)).toStartWith(
    `failed: ${path} has a declaration that`,
  );
});

test('a table without a stored declaration has columns that Shelf has made', async () => {
  const path = changedFile(copy, (db) => {
    db.run("delete from settings where name = 'collections'");
    db.run('alter table items add column "x""y" text');
  });
  expect(await startOf(`sqlite:${path}`)).toMatch(/^failed: Another program changed .+unknown table "items"/);
});

test('declarations that are not stored are checked, and stored ones are checked once', () => {
  const path = changedFile(copy, (db) => db.run('alter table items add column "x""y" text'));
  using db = new Database(path);
  using checks = spyOn(rules, 'checkStored');
  storedDeclarationsIn(db, collections);
  expect(checks.mock.calls.filter(([value]) => Object.hasOwn(value as object, 'books'))).toHaveLength(1);
  db.run("delete from settings where name = 'collections'");
  expect(() => storedDeclarationsIn(db, collections)).toThrow(/items\.fields\.x"y: must have only lower-case letters/);
});

test.if(postgresUrl !== undefined)('PostgreSQL: the same', async () => {
  const sql = new SQL({ url: await newDatabase(), max: 1 });
  await sql`create table settings (name text, value text)`;
  await sql`create table items (seq bigint, id bigint, "x""y" text)`;
  const read = () => storedOnPostgres(sql, collections);
  await expect(read()).rejects.toThrow(/items\.fields\.x"y: must have only lower-case letters/);
  await sql`insert into settings values ('collections', '{"items":{"now":{"fields":{"name":{"type":"text"}}}}}')`;
  using checks = spyOn(rules, 'checkStored');
  await read();
  expect(checks.mock.calls.filter(([value]) => Object.hasOwn(value as object, 'items'))).toHaveLength(1);
  await sql.close();
});

test.each(stored)('%s accepts what was right in another release', async (name, open) => {
  const line = await open((text) => {
    // A pattern that is refused in a new file, and options of a newer release.
    const pattern = replacing('"pattern":"^[0-9]{13}$"', '"pattern":"(?=1)","shape":7');
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

test.each(stored.filter(([name]) => name.startsWith('a move')))(
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

  test.each([2 ** 53 - 1, 2 ** 53, highestNumber + 1, -1, 1.5, '"7"', 'null'])(
    'a last number of %s is refused',
    async (number) => {
      const line = await runImport(
        await newUrl(),
        changedExport(replacing(/"last_number": \d+/, `"last_number": ${number}`)),
      );
      expect(line).toMatch(/: last_number must be a whole number from 0 to 2251799813685248, not .+\.$/);
    },
  );

  test('after the highest last number, records can be added, changed and deleted', async () => {
    const database = await newUrl();
    const far = changedExport(replacing(/"last_number": \d+/, `"last_number": ${highestNumber}`));
    expect(await runImport(database, far)).toStartWith('Imported');
    for (let round = 0; round < 2; round++) {
      const server = await startServer({ database, collections });
      const send = (method: string, path: string, body = '{"name":"n"}') =>
        fetch(`${server.url}/api/v2/users${path}`, {
          method,
          ...(method === 'DELETE' ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
        });
      const [one, two] = [await send('POST', ''), await send('POST', '')];
      expect([one.status, two.status]).toEqual([201, 201]);
      const { id } = (await two.json()) as { id: number };
      expect(id).toBeGreaterThan(highestNumber);
      expect((await send('PATCH', `/${id}`)).status).toBe(200);
      expect((await send('DELETE', `/${id}`)).status).toBe(204);
      await server.stop();
    }
  });
});

describe('numbers', () => {
  test.each<[string, string, Changing, RegExp]>([
    [
      'an id',
      'books',
      replacing('"id":1', '"id":9007199254740991'),
      /line 1: id and version must be whole numbers from 1 to/,
    ],
    [
      'a version',
      'books',
      replacing('"version":1', '"version":9007199254740991'),
      /line 1: id and version must be whole/,
    ],
    ['an id above the last', 'books', replacing('"id":1', '"id":1000'), /line 1: id or version is above last_number/],
    ['a version above the last', 'books', replacing('"version":1', '"version":1000'), /line 1: id or version is above/],
  ])('%s in an export is refused', async (_, name, change, expected) => {
    const path = changedExport((text) => text);
    const file = join(path, `${name}.ndjson`);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    expect(await runImport(`sqlite:${newPath('.db')}`, path)).toMatch(expected);
    const merged = `sqlite:${changedFile(source, (db) => db.run('delete from books'))}`;
    expect(await runImport(merged, path, true)).toMatch(expected);
  });

  test('a number of records in a manifest is refused', async () => {
    const path = changedExport(replacing(/"records":1,/, '"records":9007199254740991,'));
    expect(await runImport(`sqlite:${newPath('.db')}`, path)).toMatch(
      /records of "items" must be a whole number from 0 to/,
    );
  });

  const wrong: [what: string, statement: string, expected: RegExp][] = [
    [
      'a last id',
      "update sqlite_sequence set seq = 9007199254740991 where name = 'items'",
      /last (?:id|number) of "?items/,
    ],
    [
      'a last id of 64 bits',
      "update sqlite_sequence set seq = 9223372036854775807 where name = 'items'",
      /last (?:id|number) of/,
    ],
    [
      'a last change',
      "update sqlite_sequence set seq = 9007199254740991 where name = 'changes'",
      /last (?:change|number)/,
    ],
    ['an id', 'update items set seq = 9007199254740991', /id of items is 9007199254740991|has the id 9007199254740991/],
    ['an id that was never given out', 'update items set seq = 77', /id of items is 77|has the id 77 /],
    ['a version', 'update items set version = 9007199254740991', /version (?:of items 1 is )?9007199254740991/],
    ['a trimmed change', "insert into settings values ('trimmed', 'many')", /last trimmed change/],
    ['gaps', `insert into settings values ('gaps', '{"a":1}')`, /gaps in its history/],
    ['a gap of one number', "insert into settings values ('gaps', '[[7]]')", /gaps in its history/],
    ['a gap', "insert into settings values ('gaps', '[[1,9007199254740991]]')", /gap in the history/],
  ];
  test.each(wrong)('%s: a restore and a move refuse it', async (_, statement, expected) => {
    const change = (db: Database) => db.run(statement);
    const path = newPath('.db');
    const restored = await runRestore(path, changedFile(copy, change));
    expect(restored).toStartWith('failed: ');
    expect(restored).toMatch(expected);
    expect(existsSync(path)).toBe(false);
    const moved = await runMove(`sqlite:${changedFile(source, change)}`, `sqlite:${path}`);
    expect(moved).toStartWith('failed: ');
    expect(moved).toMatch(expected);
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    ['the number of a change', 'update changes set seq = 77 where seq = 1'],
    ['the id in change 1', 'update changes set record_seq = 9007199254740991 where seq = 1'],
    ['the version in change 1', 'update changes set version = 9007199254740991 where seq = 1'],
    [
      'the id under an idempotency key',
      "insert into idempotency_keys values ('items', 'k', 'd', '2026-01-01T00:00:00.000Z', 9007199254740991, '{}')",
    ],
  ])('%s: a move refuses it', async (what, statement) => {
    const moved = await runMove(`sqlite:${changedFile(source, (db) => db.run(statement))}`, `sqlite:${newPath('.db')}`);
    expect(moved).toMatch(new RegExp(`^failed: Wrong numbers: ${what} is \\d+, which Shelf cannot have given out`));
  });

  test.each([copy, source])('a start refuses a file that has no numbers left, and verify says so', async (from) => {
    const path = changedFile(from, (db) =>
      db.run("update sqlite_sequence set seq = 9007199254740991 where name = 'items'"),
    );
    expect(await startOf(`sqlite:${path}`)).toMatch(
      /^failed: The last number of "items" in \S+ is not one from 0 to \d+/,
    );
    const { isRight, lines } = await runVerify(`sqlite:${path}`, collections);
    expect(isRight).toBe(false);
    expect(lines[0]).toMatch(/^the last id of items is 9007199254740991, which Shelf cannot have given out/);
  });

  test.if(postgresUrl !== undefined)('PostgreSQL: a move and a start in another cluster refuse them', async () => {
    const database = await newDatabase();
    expect(await runMove(`sqlite:${source}`, database)).toStartWith('Moved');
    const sql = new SQL({ url: database, max: 1 });
    const moved = () => runMove(database, `sqlite:${newPath('.db')}`);
    await sql`update items set version = 9007199254740993`;
    expect(await moved()).toMatch(/the version of items 1 is 900719925474099\d, which/);
    await sql`update items set version = 1`;
    await sql`select setval(pg_get_serial_sequence('items', 'seq'), 9007199254740993)`;
    expect(await moved()).toMatch(/the last id of items is 900719925474099\d, which/);
    expect(await withSetting(database, 'gaps', () => '{"a":1}', moved)).toMatch(/gaps in its history/);
    expect(await withSetting(database, 'system', () => 'another', startOf)).toMatch(
      /^failed: The last number of the database is not one from 0 to/,
    );
    await sql.close();
  });
});
