/** Names and texts get into SQL in one way: quoted by `identifier` and `literal` of src/domain/sql-text.ts. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { identifier, literal } from '../../src/domain/sql-text.ts';
import { keepConstraints, keepIndexes } from '../../src/storage/postgres/schema/indexes-and-constraints.ts';
import { evolve } from '../../src/storage/sqlite/schema/evolution.ts';
import { migrate } from '../../src/storage/sqlite/schema/schema.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { declared, library, libraryFile } from '../support/data/library.ts';
import { Sources } from '../support/data/sql-parts.ts';
import { root } from '../support/servers/process.ts';

/** Where SQL is written, and what it is made of. */
const files = ['src/storage', 'src/domain', 'src/cli/data'].flatMap((folder) =>
  [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(root)].filter(
    (file) => !file.endsWith('.test.ts') && file !== 'src/domain/sql-text.ts',
  ),
);

/** Parts that cannot be followed, by their files, with the reason why they are right. */
const proven: Readonly<Record<string, readonly string[]>> = {
  // What the engines give to the SQL of a field type. They call it with parts that are checked.
  'src/domain/types/list.ts': ['column', 'parameter'],
  'src/domain/types/type.ts': ['object'],
  // The name of a function is a constant and a number.
  'src/storage/postgres/functions/functions.ts': ['Bun.hash(parameters + attributes + body).toString(36)'],
  'src/storage/postgres/functions/write-function.ts': ['name', 'transaction.name', 'noteFunction.name'],
  'src/storage/postgres/functions/record-function.ts': ['conditionFunction.name'],
  'src/storage/postgres/functions/cascade.ts': ['planFunction.name'],
  'src/storage/postgres/functions/transaction-function.ts': ['matchingFunction.name', 'noteFunction.name'],
  'src/storage/postgres/schema/schema.ts': ['write.name'],
  'src/storage/postgres/bulk/copy-bulk.ts': ['writeFunction'],
  'src/storage/postgres/bulk/call-bulk.ts': ['writeFunction'],
  'src/storage/postgres/write/batches.ts': ['this.migrated.writeFunction'],
  'src/storage/postgres/read/queries.ts': ['name'],
  // Texts are quoted, and numbers need no quotes.
  'src/storage/sqlite/statements/collection-sql.ts': ['sqlLiteral(field.sqlite.bind(value))', 'query', 'table'],
  // An element in the text of a list, quoted as PostgreSQL reads it. The whole list is a value.
  'src/storage/postgres/batch/transaction-run.ts': ["value.replace(/[\"\\\\]/g, '\\\\$&')"],
  // Made of columns and tables, whose names are of type Identifier, and of marks for parameters.
  'src/storage/query-sql.ts': ['condition', 'seen', 'row.of(step.field)'],
  'src/storage/sqlite/search/plan.ts': ['columnOf(collection, field).name', 'condition', 'found'],
  'src/storage/sqlite/transaction-write.ts': ['also'],
  // A predicate, as a part of a message.
  'src/storage/sqlite/writer/table-writer.ts': ['among'],
  'src/storage/sqlite/search/slices.ts': ['from', 'keys', 'base', 'own', 'range'],
  'src/storage/postgres/read/summary.ts': ['where'],
  'src/storage/postgres/read/reads.ts': ['sql'],
  'src/storage/postgres/statements/table-sql.ts': ['from', 'table', 'query', 'order', 'most', 'bytes', 'condition'],
  // A whole statement.
  'src/storage/postgres/primary/position.ts': ['statement'],
};

test('there are files to check', () => {
  expect(files).toContain('src/storage/sqlite/schema/evolution.ts');
  expect(files).toContain('src/domain/types/type.ts');
  expect(files).toEqual(expect.arrayContaining(Object.keys(proven)));
});

test('every part of SQL is quoted, a constant or a number', () => {
  const texts = files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  const sources = new Sources(new Map(texts), proven);
  expect(sources.wrongParts()).toEqual([]);
  const listed = Object.entries(proven).flatMap(([file, parts]) => parts.map((part) => `${file}: ${part}`));
  expect(listed.filter((one) => !sources.used.has(one))).toEqual([]);
});

/** With `@{` for the beginning of a part. */
function wrongIn(source: string): readonly string[] {
  const other = "export const now = 'now()'; export const named = (name: string) => name;";
  const texts = new Map([
    ['src/storage/this.ts', source.replaceAll('@{', '${')],
    ['src/storage/other.ts', other],
  ]);
  return new Sources(texts, {}).wrongParts();
}

test.each([
  'db.run(`drop index "@{one}"`)',
  'db.run(`drop index "@{one}_by_id"`)',
  'db.run(`drop index @{whatever}`)',
  'db.run(`drop index @{identifier(name)}, @{other}`)',
  'db.run(`select count(*) from @{collection.name}`)',
  "sql.unsafe(`select '@{name}', seq from changes`)",
  "const when = `_run->>'@{key}'`",
  'const tables = names.map((name) => `"@{name}"`)',
  "const texts = names.map((name) => `'@{name}'`)",
  "db.run('select * from ' + table)",
  'const { table } = shape; db.run(`drop table @{table}`)',
  'const [table] = names; db.run(`drop table @{table}`)',
  'const order = `@{field} desc`; db.run(`select 1 @{order}`)',
  "let last = '0'; last = given; db.run(`select seq where seq > @{last}`)",
  "const parts = ['a']; parts.push(name); db.run(`select @{parts.join()}`)",
  'const drop = (name: string) => `drop table @{name}`; drop(given)',
  'const drop = (name: string) => `drop table @{name}`;',
  "const drop = (name = 'a') => `drop table @{name}`; drop(given)",
  'const sql = { drop: (name: string) => `drop table @{name}` }; sql.drop(given)',
  'function table(name: string) { return name; } db.run(`drop table @{table(given)}`)',
  "import { named } from './other.ts'; db.run(`drop table @{named(given)}`)",
  'db.run(`drop table @{isOld ? identifier(name) : name}`)',
  'db.run(`drop table @{name as Identifier}`)',
  'db.run(`select @{fields.map((field) => `@{identifier(field)} as @{field}`).join()}`)',
  'const table = identifier(name); names.map((table) => `drop table @{table}`)',
  'db.run(`select @{field.postgres.select(name)}`)',
])('%s is found', (source) => {
  expect(wrongIn(source)).not.toEqual([]);
});

test.each([
  'db.run(`drop index @{identifier(one)}`)',
  'sql`select * from settings where name = @{name}`',
  'const message = `there is no field @{name}`',
  'const [table, name] = [identifier(given), literal(given)]; db.run(`select @{name} from @{table}`)',
  'const most = 5; db.run(`select 1 limit @{most + 1}`)',
  "import { now } from './other.ts'; db.run(`select @{now}`)",
  "import { named } from './other.ts'; db.run(`drop table @{named('a')}`)",
  'const drop = (name: Identifier) => `drop table @{name}`',
  'const drop = (name: string) => `drop table @{name}`; drop(identifier(given))',
  "db.run(`select @{['seq', ...names.map(identifier)].join(', ')}`)",
  "db.run(`select @{names.map((name, at) => `@{identifier(name)} as _@{at}`).join(', ')}`)",
  'db.run(`select @{field.postgres.fromJson("_value", key)}`)',
])('%s is right', (source) => {
  expect(wrongIn(source)).toEqual([]);
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
