/** Search by words is declared for records that are there, follows renames, and is removed; moves, exports and backups keep it. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { runExport, runImport, runMove, runRestore, runVerify } from '../support/servers/data-commands.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { type Ask, add, type Json, migrate, plan, refusal, serving } from '../support/servers/evolving.ts';

const optional = { type: 'text', optional: true };
const books = (search: readonly string[] | undefined, fields: object = { title: 'text', text: optional }) => ({
  books: { singular: 'book', fields, ...(search === undefined ? {} : { search }) },
});
const both = books(['title', 'text']);
const records = [{ title: 'Labyrinths', text: 'by Borges' }, { title: 'Über alles' }, { title: '東京都', text: '' }];

async function ids(ask: Ask, query: string, collection = 'books'): Promise<unknown> {
  const { status, body } = await ask(`${collection}?${query}`);
  expect([status, body]).toEqual([200, body]);
  return (body.data as Json[]).map(({ id }) => id);
}
const all = async (ask: Ask, collection = 'books') => [
  await ids(ask, 'words=labyrinths+borges', collection),
  await ids(ask, 'words=uber', collection),
  await ids(ask, `words=${encodeURIComponent('東京')}`, collection),
];
const found = [[1], [2], [3]];

async function run(url: string, statement: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    using db = new Database(url.slice('sqlite:'.length));
    db.run(statement);
  } else {
    const sql = new SQL(url);
    await sql.unsafe(statement);
    await sql.close();
  }
}

for (const [engine, newUrl] of lastingEngines()) {
  const named = (title: string) => `${engine}: ${title}`;
  const isPostgres = engine === 'postgres';

  test(named('it is declared for records that are there, and removed'), async () => {
    const url = await newUrl();
    await serving(url, books(undefined), async (ask) => {
      await add(ask, ...records);
      expect((await ask('books?words=x')).status).toBe(400);
    });
    expect(await plan(url, both)).toEqual([
      'check: books.title: index its words',
      'check: books.text: index its words',
    ]);
    // A server with the earlier file would store records without their words.
    if (isPostgres) expect(await refusal(url, both)).toContain('not done  books.title: index its words');
    await migrate(url, both);
    await serving(url, both, async (ask) => {
      expect(await all(ask)).toEqual(found);
      await add(ask, { title: 'later' });
      expect(await ids(ask, 'words=later')).toEqual([4]);
    });
    expect((await runVerify(url, [])).isRight).toBe(true);
    // However it is written.
    const same = books(undefined, { title: { type: 'text', search: true }, text: { ...optional, search: true } });
    expect(await plan(url, same)).toEqual([]);
    expect(await plan(url, books(['title']))).toEqual(['check: books.text: remove the index of its words']);
    await migrate(url, books(['title']));
    await serving(url, books(['title']), async (ask) => {
      expect(await ids(ask, 'words=borges')).toEqual([]);
      expect(await ids(ask, 'words=laby*')).toEqual([1]);
    });
    await migrate(url, books(undefined));
    await serving(url, books(undefined), async (ask) => expect(await ids(ask, 'title=Labyrinths')).toEqual([1]));
    expect((await runVerify(url, [])).isRight).toBe(true);
  });

  test(named('it follows fields and the collection when they are renamed, and goes with a field'), async () => {
    const url = await newUrl();
    await serving(url, both, (ask) => add(ask, ...records));
    const after = {
      tomes: {
        singular: 'tome',
        was: 'books',
        search: ['name', 'text'],
        fields: { name: { type: 'text', was: 'title' }, text: optional },
      },
    };
    expect(await plan(url, after)).toEqual([
      'check: tomes: rename the collection books',
      'none: tomes: name one record tome; recorded changes keep book',
      'check: tomes.name: rename the field title',
    ]);
    await migrate(url, after);
    await serving(url, after, async (ask) => {
      expect(await all(ask, 'tomes')).toEqual(found);
      expect((await ask('tomes/1', { name: 'renamed' }, 'PATCH')).status).toBe(200);
      expect(await ids(ask, 'name[words]=renamed', 'tomes')).toEqual([1]);
    });
    expect((await runVerify(url, [])).isRight).toBe(true);
    const without = { tomes: { ...after.tomes, search: ['name'], fields: { name: 'text' } } };
    await migrate(url, without, ['drop:tomes.text']);
    await serving(url, without, async (ask) => {
      expect(await ids(ask, 'words=borges', 'tomes')).toEqual([]);
      expect(await ids(ask, 'words=renamed', 'tomes')).toEqual([1]);
    });
    expect((await runVerify(url, [])).isRight).toBe(true);
  });

  test(named('with other steps: a new field, a converted one, and one that gets null'), async () => {
    const url = await newUrl();
    await serving(url, books(['title'], { title: 'text', pages: 'integer' }), (ask) =>
      add(ask, { title: 'one', pages: 12 }, { title: 'two', pages: 34 }),
    );
    const after = books(['title', 'pages', 'more'], {
      title: optional,
      pages: 'text',
      more: { type: 'text', default: 'Added later' },
    });
    await migrate(url, after, ['type:books.pages']);
    await serving(url, after, async (ask) => {
      expect(await ids(ask, 'words=added')).toEqual([1, 2]);
      expect(await ids(ask, 'pages[words]=34')).toEqual([2]);
      expect((await ask('books/1', { title: null }, 'PATCH')).status).toBe(200);
      expect(await ids(ask, 'title[words]=')).toEqual([2]);
    });
    const back = books(undefined, { title: optional, pages: 'integer', more: 'text' });
    await migrate(url, back, ['type:books.pages']);
    expect((await runVerify(url, [])).isRight).toBe(true);
  });

  test(named('another version of the splitter splits all texts again at the start, and says so'), async () => {
    const url = await newUrl();
    const keyed = { ...both, others: { fields: { name: { type: 'text', search: true } } } };
    await serving(url, keyed, (ask) => add(ask, ...records));
    await run(url, `update settings set value = '{"books":"0","others":"0"}' where name = 'words'`);
    if (isPostgres) await run(url, `update books set "title:words" = ''`);
    else await run(url, `delete from "books:words" where rowid = 1`);
    // Words of another version are not compared.
    expect((await runVerify(url, [])).isRight).toBe(true);
    const split = 'split the texts of 3 records into words';
    expect(await migrate(url, keyed)).toEqual([`books: ${split}`]);
    await serving(url, keyed, async (ask) => expect(await all(ask)).toEqual(found));
    expect(await migrate(url, keyed)).toEqual([]);
    expect((await runVerify(url, [])).isRight).toBe(true);
  });

  test(named('verify finds words that are missing, and words that are left'), async () => {
    const url = await newUrl();
    await serving(url, both, (ask) => add(ask, ...records, { title: 'more' }));
    if (isPostgres) {
      await run(url, `update books set "title:words" = ''::tsvector where seq = 1`);
      await run(url, `update books set "text:words" = '''by'' ''borges'' ''more'''::tsvector where seq = 1`);
    } else {
      await run(url, `delete from "books:words" where rowid = 1`);
      await run(url, `insert into "books:words" (rowid, "text:words") values (1, 'by borges more')`);
      await run(url, `insert into "books:words" (rowid, "text:words") values (9, 'left')`);
    }
    const { lines } = await runVerify(url, []);
    const wrong = (field: string) => `books 1: the index of words does not have the words of its ${field}`;
    const expected = [
      wrong('title'),
      wrong('text'),
      ...(isPostgres ? [] : ['books 9: is in the index of words, and is missing']),
    ];
    expect(lines.filter((line) => line.includes('index of words'))).toEqual(
      expected.map((line) => expect.stringContaining(line)),
    );
  });

  test(named('exports, imports and moves'), async () => {
    const url = await newUrl();
    await serving(url, both, (ask) => add(ask, ...records));
    const folder = join(temporaryFolder(), 'export');
    expect(await runExport(url, folder)).toContain('5 records');
    for (const [, newTarget] of lastingEngines()) {
      const [imported, moved] = [await newTarget(), await newTarget()];
      expect(await runImport(imported, folder)).toContain('5 records');
      expect(await runMove(url, moved)).toContain('5 records');
      for (const target of [imported, moved]) {
        await serving(target, both, async (ask) => {
          expect(await all(ask)).toEqual(found);
          expect((await ask('books/1', undefined, 'DELETE')).status).toBe(204);
          expect(await all(ask)).toEqual([[], [2], [3]]);
        });
        expect(await runImport(target, folder, true)).toContain('1 record');
        await serving(target, both, async (ask) => expect(await all(ask)).toEqual(found));
        expect((await runVerify(target, [])).isRight).toBe(true);
      }
    }
  });
}

test.if(postgresUrl !== undefined)('postgres: a write without its words is refused', async () => {
  const url = await newDatabase();
  await serving(url, both, (ask) => add(ask, ...records));
  const insert = `insert into books (title, "title:words", version, created_at, updated_at) values ('x', null, 1, now(), now())`;
  await expect(run(url, insert)).rejects.toThrow('books:title:words');
  await expect(run(url, `update books set text = 'x', "text:words" = null where seq = 1`)).rejects.toThrow(
    'books:text:words',
  );
});

test('sqlite: a backup has it, and a table of words that another program has dropped is made again', async () => {
  const folder = temporaryFolder();
  const [path, backup] = [join(folder, 'a.db'), join(folder, 'b.db')];
  await serving(`sqlite:${path}`, both, (ask) => add(ask, ...records));
  using db = new Database(path);
  db.run('vacuum into ?', [backup]);
  db.run('drop table "books:words"');
  db.close();
  expect((await runVerify(`sqlite:${path}`, [])).lines.join()).toContain('missing words of "books": start a server');
  await serving(`sqlite:${path}`, both, async (ask) => expect(await all(ask)).toEqual(found));
  expect(await runRestore(path, backup)).toContain('5 records');
  await serving(`sqlite:${path}`, both, async (ask) => expect(await all(ask)).toEqual(found));
});

test.each([
  ['a trigger of another module', 'create virtual table "books:words" using rtree(id, a, b)'],
  ['another tokenizer', `create virtual table "books:words" using fts5("title:words", tokenize='porter')`],
])('sqlite: %s is not opened', async (_, statement) => {
  const path = join(temporaryFolder(), 'a.db');
  await serving(`sqlite:${path}`, both, async () => {});
  using db = new Database(path);
  db.run('drop table "books:words"');
  db.run(statement);
  db.close();
  expect(await refusal(`sqlite:${path}`, both)).toContain('unknown virtual table "books:words"');
});
