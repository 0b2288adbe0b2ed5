/** Names and texts get into SQL in one way: quoted by `identifier` and `literal` of src/domain/sql-text.ts. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { type Node, walkCode } from '../mutate/syntax.ts';
import { identifier, literal } from '../src/domain/sql-text.ts';
import { keepConstraints, keepIndexes } from '../src/storage/postgres/indexes-and-constraints.ts';
import { evolve } from '../src/storage/sqlite/evolution.ts';
import { migrate } from '../src/storage/sqlite/schema.ts';
import { declared, library, libraryFile } from './library.ts';
import { newDatabase, postgresUrl } from './postgres/database.ts';
import { root } from './process.ts';

/** Words that a template of SQL has, and a message or JSON has not. */
const sqlWords =
  /\b(?:select|insert (?:or \w+ )?into|delete from|update (?:or \w+ )?\S+ set|create (?:unique )?(?:table|index|trigger|function)|alter (?:table|index|trigger)|drop (?:table|index|trigger|function|constraint|column)|references|lock table|comment on|values \(|collection in|json_\w+|case when)\b|->>?|::\w/;
/** What stands before the name of a table, a column or the like. */
const beforeName =
  /\b(?:from|into|update|or fail|table|index|trigger|constraint|column|join|on|exists|references|rename to)\s+$/;
/** Names as a declaration or a catalogue has them. */
const rawName = /^(?:name|key|field|to|source|one|index|constraint|(?:\w+\.)+(?:name|field|to))$/;

/** The templates of SQL that put quotes around a part, or have a name without them. JSON has double quotes, too. */
function unquoted(source: string, alone = ['""', "''"]): string[] {
  const found: string[] = [];
  walkCode(source, (node) => {
    if (node.type !== 'TemplateLiteral') return;
    const texts = (node.quasis as readonly Node[]).map(({ value }) => (value as { raw: string }).raw);
    const parts = (node.expressions as readonly Node[]).map(({ start, end }) => source.slice(start, end));
    const isQuotedAlone = parts.length === 1 && alone.includes(texts.join(''));
    if (!isQuotedAlone && !sqlWords.test(texts.join(' _ '))) return;
    const isWrong = parts.some((part, at) => {
      const [before = '', after = ''] = [texts[at], texts[at + 1]];
      return /["']$/.test(before) || /^\w*["']/.test(after) || (beforeName.test(before) && rawName.test(part));
    });
    if (isWrong) found.push(source.slice(node.start, node.end));
  });
  return found;
}

/** Where SQL is written. */
const files = ['src/storage', 'src/domain/types', 'src/cli/data'].flatMap((folder) =>
  [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(root)].filter((file) => !file.endsWith('.test.ts')),
);

test('there are files to check', () => {
  expect(files).toContain('src/storage/sqlite/evolution.ts');
  expect(files).toContain('src/domain/types/type.ts');
});

test('no SQL has quotes around a part of its own, or a name without them', () => {
  const found = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const alone = file.startsWith('src/storage/') ? undefined : ["''"];
    return source.includes('${') ? unquoted(source, alone).map((template) => `${file}: ${template}`) : [];
  });
  expect(found).toEqual([]);
});

test.each([
  'db.run(`drop index "@{one}"`)',
  'db.run(`drop index "@{one}_by_id"`)',
  'db.run(`drop index @{one}`)',
  'db.run(`select count(*) from @{collection.name}`)',
  "sql.unsafe(`select '@{name}', seq from changes`)",
  "const when = `_run->>'@{key}'`",
  'const tables = names.map((name) => `"@{name}"`)',
  "const texts = names.map((name) => `'@{name}'`)",
])('%s is found', (source) => {
  expect(unquoted(source.replaceAll('@{', '${'))).toHaveLength(1);
});

describe('whatever a name or a text has in it', () => {
  const hostile = [
    'a"b',
    '"; drop table items; --',
    "a'b",
    "'; drop table items; --",
    'a\\',
    "\\'",
    'x$shelf$y',
    'é😀',
  ];

  test.each(hostile)('%s stays one name and one text', (text) => {
    using db = new Database(':memory:');
    db.run(`create table ${identifier(text)} (${identifier(text)} text default ${literal(text)})`);
    db.run(`insert into ${identifier(text)} default values`);
    expect(db.prepare(`select * from ${identifier(text)}`).all()).toEqual([{ [text]: text }]);
  });

  test.each(['', 'a\0b', 'x'.repeat(64)])('%j is no name', (name) => {
    expect(() => identifier(name)).toThrow('a name has 1 to 63 characters');
  });

  test('a text has no U+0000', () => {
    expect(() => literal('a\0b')).toThrow('U+0000');
  });
});

describe('an index of another program is dropped by its name', () => {
  const after = declared({ ...libraryFile, authors: { ...libraryFile.authors, indexes: ['born'] } });
  const authors = after.filter(({ name }) => name === 'authors');

  test('SQLite', () => {
    using db = new Database(':memory:');
    const silently = { risks: ['none'] as const, allowed: [], onStep: () => {} };
    migrate(db, library, '', silently);
    const name = 'x"; create table loot (a); --';
    db.run('create index "x""; create table loot (a); --" on authors (name)');
    evolve(db, after, silently);
    const found = db
      .prepare<{ name: string }, []>('select name from sqlite_schema')
      .all()
      .map((one) => one.name);
    expect(found).toContain('authors:born');
    expect(found).not.toContain(name);
    expect(found).not.toContain('loot');
  });

  test.if(postgresUrl !== undefined)('PostgreSQL, and a constraint, too', async () => {
    const sql = new SQL({ url: await newDatabase(), max: 1 });
    await sql.unsafe('create table authors (seq bigint, name text, born date, publisher bigint)');
    await sql.unsafe('create index "x""; create table loot (); --" on authors (name)');
    await sql.unsafe('alter table authors add constraint "y""; create table loot (); --" check (seq > 0)');
    for (const one of authors) {
      await keepIndexes(sql, one);
      await keepConstraints(sql, { ...one, references: [] });
    }
    const [row] = await sql`
      select to_regclass('loot'), (select count(*)::int from pg_constraint where conname like 'y"%'),
        (select string_agg(indexname, ' ' order by indexname) from pg_indexes where tablename = 'authors')`.values();
    expect(row).toEqual([null, 0, 'authors:born authors:publisher']);
    await sql.close();
  });
});
