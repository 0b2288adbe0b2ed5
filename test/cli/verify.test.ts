/** `shelf verify` finds what is wrong, and nothing where nothing is. */

import { Database } from 'bun:sqlite';
import { beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { everybody } from '../../src/domain/store/writes.ts';
import { uniqueIndexName } from '../../src/storage/index-name.ts';
import { openEngine } from '../../src/storage/open.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { fill, fullCollections } from '../support/data/full-database.ts';
import { declared } from '../support/data/library.ts';
import { runMove, runVerify } from '../support/servers/data-commands.ts';
import { engineOf, engineOptions } from '../support/servers/engine.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { runShelf, startShelf } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
const engines = lastingEngines();
const whole = `sqlite:${join(folder, 'whole.db')}`;
beforeAll(async () => {
  const server = await startServer({ database: whole, collections: fullCollections });
  await fill(server, 300);
  await server.stop();
});

/** Runs statements that no server would run. */
async function tamper(database: string, statements: readonly string[]): Promise<void> {
  if (database.startsWith('sqlite:')) {
    using db = new Database(database.slice('sqlite:'.length));
    db.run('pragma ignore_check_constraints = on');
    for (const statement of statements) db.run(statement);
    return;
  }
  const sql = new SQL({ url: database, max: 1 });
  try {
    // Rules of the tables, which another program could not break either.
    const rules = await sql`
      select format('alter table %s drop constraint %I', conrelid::regclass, conname) from pg_constraint
      where connamespace = current_schema()::regnamespace and contype in ('c', 'f')`.values();
    for (const [rule] of rules) await sql.unsafe(rule);
    for (const statement of statements) await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}

describe.each(engines)('%s', (engine, newUrl) => {
  async function newCopy(): Promise<string> {
    const to = await newUrl();
    expect(await runMove(whole, to)).toStartWith('Moved');
    return to;
  }

  test('in a sound database nothing is wrong', async () => {
    const { isRight, lines } = await runVerify(await newCopy());
    expect(isRight).toBe(true);
    expect(lines).toEqual([
      expect.stringMatching(
        /^Verified 3\d\d records of 7 collections and 3\d\d changes of \S+ in .+ s: nothing is wrong\.$/,
      ),
    ]);
  });

  const sequence =
    engine === 'sqlite'
      ? "update sqlite_sequence set seq = 5 where name = 'users'"
      : "select setval(pg_get_serial_sequence('users', 'seq'), 5)";
  const insertUser = (seq: number) =>
    engine === 'sqlite'
      ? `insert into users (seq, id, name, version, created_at, updated_at) values (${seq}, 7, 'n', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`
      : `insert into users (seq, id, name, version, created_at, updated_at) overriding system value values (${seq}, 7, 'n', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`;
  const wrongs: readonly [string, readonly string[], readonly RegExp[]][] = [
    [
      'a value that its declaration refuses',
      ["update books set state = 'gone' where seq = 2"],
      [/^books 2: state must be one of draft, published$/, /^books 2: has another state than its last change/],
    ],
    [
      'a number below its bound',
      ['update books set pages = 0 where seq = 1'],
      [/^books 1: pages must be at least 1$/, /^books 1: has another pages than its last change \(\d+\)$/],
    ],
    [
      'a change that the feed does not have',
      ["update items set name = 'x' where seq = 9"],
      [/^items 9: has another name than its last change \(\d+\)$/],
    ],
    [
      'another version',
      ['update items set version = 5 where seq = 9'],
      [/^items 9: has version 5, and its last change \(\d+\) has 1$/],
    ],
    [
      'another time',
      ["update items set updated_at = '2026-01-01T00:00:00.000Z' where seq = 9"],
      [/^items 9: has other times than its last change \(\d+\)$/],
    ],
    [
      'a deletion that the feed does not have',
      ['delete from items where seq in (20, 21)'],
      [/^items 20: is missing, though its last change \(\d+\) is not its deletion$/, /^items 21: is missing/],
    ],
    ['the last record deleted', ['delete from reviews'], [/^reviews 1: is missing, though its last change/]],
    [
      'a record that was deleted',
      [
        insertUser(3),
        sequence,
        `insert into changes (collection, type, record_seq, version, created_at, at, updated_at, record) values ('users', 'deleted', 3, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '{"id":7,"name":"n"}')`,
      ],
      [/^users 3: is there, though its last change \(\d+\) is its deletion$/],
    ],
    [
      'an id that was not given out',
      [insertUser(9), sequence],
      [/^users 9: its id was never given out \(the last is 5\)$/],
    ],
    [
      'a reference to nothing',
      ['update reviews set book = 9007199254740993 where seq = 1'],
      [
        /^reviews 1: has another book than its last change/,
        /^reviews 1 refers to books 9007199254740993 with book, which does not exist$/,
      ],
    ],
    [
      'a change before the trimmed part',
      ["update settings set value = '2' where name = 'trimmed'"],
      [/^change 1 is there, though the history is trimmed up to 2$/],
    ],
    [
      'a transaction that is not possible',
      ['update changes set transaction_first = 1, transaction_size = 1 where seq = 1'],
      [/^change 1 is of a transaction that is not possible$/],
    ],
    [
      'a state before a creation',
      [`update changes set before = '{"version":1}' where seq = (select max(seq) from changes where type = 'created')`],
      [/^\w+ \d+: its last change \(\d+\) has a state before it, and is no update$/],
    ],
    [
      'a transaction without its end',
      ['update changes set transaction_first = 1, transaction_size = 3 where seq < 3'],
      [/^change 2 is of a transaction from 1 on, and the change before or after it is missing$/],
    ],
    [
      'a transaction without its beginning',
      ['update changes set transaction_first = 1, transaction_size = 3 where seq between 2 and 3'],
      [/^change 2 is of a transaction from 1 on, and the change before or after it is missing$/],
    ],
  ];
  test.each(wrongs)('%s is found', async (_, statements, expected) => {
    const database = await newCopy();
    await tamper(database, statements);
    const { isRight, lines } = await runVerify(database);
    expect(isRight).toBe(false);
    for (const line of expected) expect(lines).toContainEqual(expect.stringMatching(line));
    expect(lines.at(-1)).toMatch(/^Verified .+: (1 thing is|\d+ things are) wrong\.$/);
    // A wrong reference is also found by SQLite itself.
    const own = lines.slice(0, -1).filter((line) => !line.includes('refers to a record of'));
    expect(own).toHaveLength(expected.length);
  });

  const triggers =
    engine === 'sqlite'
      ? ['create trigger evil after insert on items begin delete from items; end']
      : [
          "create function evil() returns trigger language plpgsql as 'begin return null; end'",
          'create trigger evil before insert on items for each row execute function evil()',
          'create rule evil as on delete to changes do instead nothing',
        ];
  test('triggers and rules of another program are found', async () => {
    const database = await newCopy();
    await tamper(database, triggers);
    const { lines } = await runVerify(database);
    const found = [
      'unknown trigger "evil" on table "items": drop it with an SQL client',
      'unknown rule "evil" on table "changes": drop it with an SQL client',
    ];
    expect(lines.slice(0, -1).sort()).toEqual(engine === 'sqlite' ? found.slice(0, 1) : found.sort());
  });

  test('two equal values of a unique field are found', async () => {
    const database = await newCopy();
    const given = engine === 'sqlite' ? '' : ' overriding system value';
    await tamper(database, [
      `drop index "${uniqueIndexName('publishers', { fields: ['name'] })}"`,
      `insert into publishers (seq, name, version, created_at, updated_at)${given} select 2, name, version, created_at, updated_at from publishers`,
    ]);
    expect((await runVerify(database)).lines).toContain('publishers 1 and 2 have the same name, which must be unique');
  });

  test('records that break a rule with a condition are found, and so is the index that is gone', async () => {
    const database = await newCopy();
    const [, rule] = fullCollections.find(({ name }) => name === 'authors')?.unique ?? [];
    const index = uniqueIndexName('authors', rule ?? { fields: [] });
    const given = engine === 'sqlite' ? '' : ' overriding system value';
    const columns = 'version, born, publisher, created_at, updated_at';
    await tamper(database, [
      `drop index "${index}"`,
      `insert into authors (seq, name, ${columns})${given} select 2, 'Bioy', ${columns} from authors`,
    ]);
    const { lines } = await runVerify(database);
    expect(lines).toContain(`authors 1 and 2 have the same publisher, which must be unique where ${rule?.condition}`);
    if (engine === 'sqlite')
      expect(lines).toContain(`missing index "${index}" on table "authors": start a server, which makes it`);
  });

  test('a record that does not meet a check rule is found', async () => {
    const database = await newCopy();
    const [rule] = fullCollections.find(({ name }) => name === 'lots')?.checks ?? [];
    await tamper(database, [`update lots set label = 'it''s wrong' where seq = 2`]);
    expect((await runVerify(database)).lines).toContain(`lots 2 does not meet ${rule?.condition}`);
  });

  test('many wrong things are counted, and the first are listed', async () => {
    const database = await newCopy();
    await tamper(database, ["update items set name = 'x' where seq > 100 and seq <= 250"]);
    const { lines } = await runVerify(database);
    expect(lines).toHaveLength(102);
    expect(lines.slice(-2)).toEqual(['and 50 more', expect.stringMatching(/: 150 things are wrong\.$/)]);
  });

  test('changed declarations are nothing wrong: the feed has records as they were', async () => {
    const database = await newUrl();
    const open = async (collections: ReturnType<typeof declared>, allowed: readonly string[] = []) => {
      const store = openEngine(engineOf(database), collections, {
        ...engineOptions,
        permission: { risks: ['none', 'check'], allowed },
      });
      await store.admin.ready;
      return store;
    };
    const before = declared({
      notes: {
        singular: 'note',
        fields: {
          text: 'text',
          count: 'integer',
          price: { type: 'decimal', scale: 2 },
          gone: { type: 'text', optional: true },
        },
      },
    });
    const store = await open(before);
    const notes = before.at(-1);
    if (notes === undefined) throw new Error('there are collections');
    for (const count of [1n, 2n])
      await store.writes.commit(everybody, {
        operation: {
          op: 'create',
          collection: notes,
          json: notes.encode({ text: `${count}`, count, price: '1.50', gone: null }),
        },
      });
    await store.admin.close();
    const after = declared({
      notes: {
        singular: 'note',
        fields: {
          text: 'integer',
          count: 'text',
          price: { type: 'decimal', scale: 4 },
          gone: { type: 'text', optional: true },
        },
      },
    });
    await (await open(after, ['type:notes.text', 'type:notes.count', 'type:notes.price'])).admin.close();
    expect((await runVerify(database, [...after])).isRight).toBe(true);
    const renamed = declared({
      papers: {
        singular: 'paper',
        was: 'notes',
        fields: {
          text: 'integer',
          amount: { type: 'text', was: 'count' },
          price: { type: 'decimal', scale: 4 },
          more: { type: 'text', default: 'x' },
        },
      },
    });
    await (await open(renamed, ['drop:papers.gone'])).admin.close();
    const { lines } = await runVerify(database, [...renamed]);
    expect(lines).toEqual([expect.stringContaining('nothing is wrong')]);
  });

  test('a database can be verified while it is written', async () => {
    const database = await newUrl();
    const server = await startShelf({ args: ['--database', database, '--log', 'off'] });
    let writing = true;
    const writer = (async () => {
      while (writing) {
        const made = await fetch(`${server.url}/api/v2/items`, { method: 'POST', body: '{"name":"n","price":1}' });
        const { id } = (await made.json()) as { id: number };
        const headers = { 'Content-Type': 'application/json' };
        await fetch(`${server.url}/api/v2/items/${id}`, { method: 'PATCH', headers, body: '{"price":2}' });
        if (id % 3 === 0) await fetch(`${server.url}/api/v2/items/${id}`, { method: 'DELETE' });
      }
    })();
    for (let time = 0; time < 3; time++) {
      const { code, stdout, stderr } = await runShelf({ args: ['verify', '--database', database] });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(
        /^Verified [\d,]+ records? of 2 collections and [\d,]+ changes of \S+ in .+ s: nothing is wrong\.\n$/,
      );
    }
    writing = false;
    await writer;
    await server.stop();
  });
});

test('a damaged file is found, and the exit code is 1', async () => {
  const path = join(folder, 'damaged.db');
  cpSync(whole.slice('sqlite:'.length), path);
  const pages = ['items', 'changes'].map((table) => pageOf(path, table));
  const file = openSync(path, 'r+');
  for (const { rootpage, size } of pages)
    writeSync(file, new Uint8Array(size).fill(0x55), 0, size, (rootpage - 1) * size);
  const { code, stdout, stderr } = await runShelf({ args: ['verify', '--database', `sqlite:${path}`] });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^the file is damaged: .+/);
  // Items are counted in an index; changes, which have none, are not counted.
  expect(stdout).toMatch(/\nVerified 3\d\d records of 7 collections and 0 changes of .+ [\d,]+ things are wrong\.\n$/);
});

function pageOf(path: string, table: string): { readonly rootpage: number; readonly size: number } {
  using db = new Database(path, { readonly: true });
  const found = db
    .prepare<{ rootpage: number }, [string]>('select rootpage from sqlite_schema where name = ?')
    .get(table);
  const page = db.prepare<{ page_size: number }, []>('pragma page_size').get();
  return { rootpage: found?.rootpage ?? 0, size: page?.page_size ?? 0 };
}

test.each([
  ['memory:', 'memory: stores nothing: choose another --database.'],
  ['sqlite:none.db', 'does not exist, or is empty: correct the path.'],
])('%s is answered with one line', async (database, line) => {
  const { code, stdout, stderr } = await runShelf({ args: ['verify', '--database', database] });
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
  expect(stderr).toContain(line);
});
