/** The configuration file through the command line: mistakes, settings, and the commands check and init. */
import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import { schemaPath, schemaText } from '../../scripts/schema.ts';
import { readConfigFile } from '../../src/cli/config/config-file.ts';
import { UsageError } from '../../src/cli/config/environment.ts';
import { allSettings } from '../../src/cli/settings/settings.ts';
import { maxCollections, maxFields } from '../../src/declarations/check.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared, libraryFile } from '../support/data/library.ts';
import { runShelf, startShelf } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
let files = 0;

function written(content: unknown): string {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** The lines of a refusal, without the path of the file. */
function mistakesIn(content: unknown): string[] {
  const path = written(content);
  try {
    readConfigFile(path, allSettings);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    const lines = `shelf: ${(error as Error).message}`.split('\n');
    return lines.map((line) => line.replace(`shelf: ${path}: `, ''));
  }
}

const book = (fields: object, more: object = {}) => ({ collections: { books: { singular: 'book', fields, ...more } } });

test('every mistake is listed at once, with its path and the way out', () => {
  const file = {
    colections: {},
    settings: { prt: 1, port: 'x', config: 'y', metrics: 'maybe' },
    collections: {
      keys: { fields: { a: 'text' } },
      Books: { fields: { a: 'text' } },
      sqlite_x: { fields: { a: 'text' } },
      authors: { fields: {}, indxes: [] },
      books: {
        singular: 'book',
        fields: {
          id: 'text',
          expanded: 'text',
          title: 'txt',
          a: { type: 'text', maxx: 3 },
          b: { type: 'text', min: 5, max: 3 },
          c: { type: 'text', pattern: '(' },
          d: { type: 'decimal' },
          e: { type: 'decimal', scale: 2, min: '1.234' },
          f: { type: 'choice', of: [] },
          g: { type: 'integer', default: 7, max: 3 },
          h: { type: 'boolean', unique: true },
          i: { type: 'text', unique: true },
          j: { type: 'list', of: 'json' },
          k: { type: 'reference', to: 'autors' },
          l: { type: 'reference', to: 'authors', on_delete: 'clear' },
          m: { type: 'text', optional: 'yes' },
          n: 7,
          o: { type: 'date', default: '2026-02-30' },
        },
      },
      shelves: {
        singular: 'shelf',
        fields: { up: { type: 'reference', to: 'shelves' } },
        indexes: ['nope', 'up', 'up'],
      },
      people: { singular: 'person', fields: { name: 'text' }, indexes: ['name'], contract: 1, first: 7 },
    },
  };
  expect(mistakesIn(file)).toEqual([
    'colections: there is no such member; did you mean "collections"?',
    'collections.keys: "keys" is reserved: choose another name',
    'collections.Books: must have only lower-case letters, digits and _, with a letter first',
    'collections.sqlite_x: "sqlite_x" is reserved: choose another name',
    'collections.authors.indxes: there is no such option; did you mean "indexes"?',
    'collections.authors.fields: must be an object with at least one field, not an object',
    'collections.books.fields.id: "id" is reserved: choose another name',
    'collections.books.fields.expanded: "expanded" is reserved: choose another name',
    'collections.books.fields.title.type: there is no type "txt"; did you mean "text"?',
    'collections.books.fields.a.maxx: there is no such option of text; did you mean "max"?',
    'collections.books.fields.b.min: must not be above max',
    'collections.books.fields.c.pattern: must be a regular expression (ECMAScript), not "("',
    'collections.books.fields.d: a field of type decimal needs "scale": a whole number from 0 to 9',
    'collections.books.fields.e.min: must have at most 2 places, and 64 bits without the point',
    'collections.books.fields.f.of: must be a list of 1 to 1000 different texts of 1 to 200 characters, not a list',
    'collections.books.fields.g.default: must be at most 3',
    'collections.books.fields.h.unique: a field of type boolean cannot be unique',
    'collections.books.fields.i.unique: a unique text needs "max" of 500 or less',
    'collections.books.fields.j.of: a list cannot have elements of type json',
    'collections.books.fields.l.on_delete: clear needs "optional": true',
    'collections.books.fields.m.optional: must be true or false, not "yes"',
    'collections.books.fields.n: must be a type such as "text" or an object with a type, not 7',
    'collections.books.fields.o.default: must be a day from 0001-01-01 to 9999-12-31, such as 2026-11-15, or "$today" for the day of the change',
    'collections.shelves.indexes[0]: there is no field "nope"; known: up, version, created_at, updated_at',
    'collections.shelves.indexes[2]: is there already: remove one of them',
    'collections.people.contract: must be true or false, not 1',
    'collections.people.indexes[0]: an indexed text needs "max" of 500 or less',
    'collections.people.first: must be a record, not 7',
    'collections.books.fields.k: there is no collection "autors"; did you mean "authors"?',
    'collections.shelves.fields.up: a reference to its own collection must be optional, or no record could be the first',
    'collections.books: "books" has the same name in OpenAPI (createBooks) as Books: choose another one',
    'settings.prt: there is no such setting; did you mean "port"?',
    'settings.port: must be a port number from 0 to 65535, not "x"',
    'settings.config: cannot be set in the file',
    'settings.metrics: must be on or off, not "maybe"',
  ]);
});

test.each<[string, unknown, readonly string[]]>([
  [
    'a reference to nothing',
    book({ k: { type: 'reference', to: 'boks' } }),
    ['collections.books.fields.k: there is no collection "boks"; did you mean "books"?'],
  ],
  [
    'a text with a pattern that no request could have',
    book({
      a: { type: 'text', pattern: '^a*$', min: 600_000 },
      b: { type: 'list', of: { type: 'text', pattern: '^a*$', min: 600_000 } },
      c: { type: 'text', min: 600_000 },
      d: { type: 'text', pattern: '^a*$', min: 400_000 },
    }),
    [
      'collections.books.fields.a.min: must not be above 419429: no longer text can be sent for this pattern',
      'collections.books.fields.b.of.min: must not be above 419429: no longer text can be sent for this pattern',
    ],
  ],
  [
    'a type that a newer Shelf may have',
    book({ a: { type: 'txt' }, b: { type: 'text', pattern: '(', colour: 7 } }, { colour: 7 }),
    [
      'collections.books.colour: there is no such option; known: singular, fields, indexes, unique, check, search, shown_as, first, contract, title, description, was',
      'collections.books.fields.a.type: there is no type "txt"; did you mean "text"?',
      'collections.books.fields.b.pattern: must be a regular expression (ECMAScript), not "("',
      'collections.books.fields.b.colour: there is no such option of text; known: type, optional, unique, search, default, title, description, was, min, max, pattern',
    ],
  ],
  [
    'a required reference to itself',
    book({ a: { type: 'reference', to: 'books' } }),
    ['collections.books.fields.a: a reference to its own collection must be optional, or no record could be the first'],
  ],
  [
    'types by the names that they have elsewhere',
    book({ a: 'bool', b: { type: 'datetime' }, c: 'String', d: { type: 'list', of: 'int' }, e: 'enum', f: 'blob' }),
    [
      'collections.books.fields.a.type: there is no type "bool"; did you mean "boolean"?',
      'collections.books.fields.b.type: there is no type "datetime"; did you mean "timestamp"?',
      'collections.books.fields.c.type: there is no type "String"; did you mean "text"?',
      'collections.books.fields.d.of.type: there is no type "int"; did you mean "integer"?',
      'collections.books.fields.e.type: there is no type "enum"; did you mean "choice"?',
      'collections.books.fields.f.type: there is no type "blob"; known: text, integer, number, decimal, boolean, date, timestamp, choice, list, json, reference',
    ],
  ],
  [
    'a first record that does not fit',
    book({ a: 'integer' }, { first: { a: 'x' } }),
    ['collections.books.first.a: must be an integer'],
  ],
  ['a first record with an id of the contract', book({ a: 'integer' }, { contract: true, first: { id: 5, a: 1 } }), []],
  [
    'a first record with an id, without the contract',
    book({ a: 'integer' }, { first: { id: 5, a: 1 } }),
    ['collections.books.first.id: there is no such field; known: a'],
  ],
  [
    'a name of the contract',
    { collections: { items: { fields: { a: 'text' } } } },
    ['collections.items: is a collection of the contract: write "items": false first, or choose another name'],
  ],
  [
    'a name that is there twice',
    '{"collections":{"a":{"fields":{"x":"text"}},"a":{"fields":{"x":"text"}}}}',
    ['line 1: "a" is there twice in one object: remove or rename one of them'],
  ],
  [
    'text that is not JSON',
    '{\n  "collections": {\n    "a" 1\n',
    ['line 3: colon expected', 'line 4: close brace expected', 'line 4: close brace expected'],
  ],
  ['no object', '[]', ['the file: must be an object with "collections", not a list']],
  ['an empty file', '', ['line 1: value expected']],
  [
    'a cycle of cascades',
    {
      collections: {
        a: { fields: { b: { type: 'reference', to: 'b', on_delete: 'cascade' } } },
        b: { fields: { a: { type: 'reference', to: 'a', on_delete: 'cascade', optional: true } } },
      },
    },
    ['collections.a: a deletion would cascade in a cycle (a -> b -> a): use "restrict" or "clear" in one of them'],
  ],
  [
    'the same name in OpenAPI',
    { collections: { a: { singular: 'item', fields: { x: 'text' } } } },
    ['collections.a.singular: "item" has the same name in OpenAPI (ItemRecord) as items: choose another one'],
  ],
  [
    'a name in OpenAPI that a body has',
    {
      collections: {
        a: { singular: 'note', contract: true, fields: { x: { type: 'text', optional: true } } },
        b: { singular: 'note_body', contract: true, fields: { x: 'text' } },
      },
    },
    ['collections.b.singular: "note_body" has the same name in OpenAPI (NoteBody) as a: choose another one'],
  ],
  [
    'a name in OpenAPI that filters have',
    {
      collections: {
        a: { singular: 'note', fields: { x: 'text' } },
        b: { singular: 'note_where', contract: true, fields: { x: 'text' } },
      },
    },
    ['collections.b.singular: "note_where" has the same name in OpenAPI (NoteWhere) as a: choose another one'],
  ],
  [
    'names in OpenAPI that no body has',
    {
      collections: {
        a: { singular: 'note', contract: true, fields: { x: 'text' } },
        b: { singular: 'note_body', contract: true, fields: { x: 'text' } },
        c: { singular: 'item_body', contract: true, fields: { x: 'text' } },
        d: { singular: 'leaf', fields: { x: { type: 'text', default: 'y' } } },
        e: { singular: 'leaf_body', contract: true, fields: { x: 'text' } },
      },
    },
    [],
  ],
  [
    'the same names of operations in OpenAPI',
    { collections: { a1: { singular: 'b', fields: { x: 'text' } }, a_1: { singular: 'c', fields: { x: 'text' } } } },
    ['collections.a_1: "a_1" has the same name in OpenAPI (createA1) as a1: choose another one'],
  ],
  [
    'the same former name twice',
    {
      collections: {
        a: { was: 'x', fields: { p: { type: 'text', was: 'q' }, r: { type: 'text', was: 'q' } } },
        b: { was: 'x', fields: { p: 'text' } },
      },
    },
    [
      'collections.a.fields.r.was: p was "q", too: remove one of them',
      'collections.b.was: a was "x", too: remove one of them',
    ],
  ],
  [
    'names of JavaScript, of indexes and of the client',
    {
      collections: {
        constructor: { fields: { x: 'text' } },
        items_by_id: { singular: 'o', fields: { x: 'text' } },
        api_keys_by_name: { singular: 'p', fields: { x: 'text' } },
        transaction: { singular: 't', fields: { x: 'text' } },
        q: { fields: { constructor: 'text', x: 'constructor' }, indexes: ['constructor', 'valueOf'] },
      },
    },
    [
      'collections.constructor: "constructor" is reserved: choose another name',
      'collections.items_by_id: "items_by_id" is reserved: choose another name',
      'collections.api_keys_by_name: "api_keys_by_name" is reserved: choose another name',
      'collections.transaction: "transaction" is reserved: choose another name',
      'collections.q.fields.constructor: "constructor" is reserved: choose another name',
      'collections.q.fields.x.type: there is no type "constructor"; known: text, integer, number, decimal, boolean, date, timestamp, choice, list, json, reference',
      'collections.q.indexes[0]: an indexed text needs "max" of 500 or less',
      'collections.q.indexes[1]: there is no field "valueOf"; known: constructor, x, version, created_at, updated_at',
    ],
  ],
  [
    'the moment of the change as default',
    book({
      a: { type: 'timestamp', default: '$now' },
      b: { type: 'date', optional: true, default: '$today' },
      c: { type: 'text', default: '$now' },
      d: { type: 'choice', of: ['$today'], default: '$today' },
      e: { type: 'timestamp', default: '$today' },
      f: { type: 'date', default: '$now' },
      g: { type: 'timestamp', default: '$now', unique: true },
      h: { type: 'date', default: '$today', min: '2000-01-01' },
      i: { type: 'list', of: 'timestamp', default: ['$now'] },
    }),
    [
      'collections.books.fields.e.default: must be a time from 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z, such as 2026-11-14T23:59:59.123Z, or "$now" for the time of the change',
      'collections.books.fields.f.default: must be a day from 0001-01-01 to 9999-12-31, such as 2026-11-15, or "$today" for the day of the change',
      'collections.books.fields.g.default: two records could not have it, because the field is unique',
      'collections.books.fields.h.default: the day may be out of "min" and "max": declare a check instead',
      'collections.books.fields.i.default: element 0 must be a time from 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z, such as 2026-11-14T23:59:59.123Z',
    ],
  ],
  [
    'null as default',
    book({ a: { type: 'text', default: null }, b: { type: 'text', optional: true, default: null } }),
    ['collections.books.fields.a.default: cannot be null, because the field is not optional'],
  ],
  [
    'long texts and defaults, and a list of lists',
    {
      collections: {
        a: {
          fields: {
            x: { type: 'choice', of: ['x'.repeat(200)] },
            y: { type: 'choice', of: ['y'.repeat(200)] },
            z: { type: 'text', max: 101, unique: true, default: 'z' },
            long: { type: 'text', default: 'l'.repeat(5000) },
            lists: { type: 'list', of: 'list' },
            text: { type: ['text'] },
          },
          indexes: [['x', 'y', 'z']],
        },
      },
    },
    [
      'collections.a.fields.z.default: two records could not have it, because the field is unique',
      'collections.a.fields.long.default: must have at most 4096 bytes',
      'collections.a.fields.lists.of: a list cannot have elements of type list',
      'collections.a.fields.text.type: there is no type a list; known: text, integer, number, decimal, boolean, date, timestamp, choice, list, json, reference',
    ],
  ],
])('%s', (_, content, lines) => {
  const found = mistakesIn(content);
  expect(found).toEqual([...lines]);
});

test('names that PostgreSQL uses itself, an index on id and an index of long texts are refused', () => {
  const text = { type: 'text', max: 300 };
  const things = { fields: { xmin: 'text', a: text, b: text }, indexes: ['id', ['a', 'b']] };
  expect(
    mistakesIn({ collections: { x_pkey: { fields: { a: 'text' } }, x_seq_seq: { fields: { b: 'text' } }, things } }),
  ).toEqual([
    'collections.x_pkey: "x_pkey" is reserved: choose another name',
    'collections.x_seq_seq: "x_seq_seq" is reserved: choose another name',
    'collections.things.fields.xmin: "xmin" is reserved: choose another name',
    'collections.things.indexes[0]: there is no field "id"; known: xmin, a, b, version, created_at, updated_at',
    'collections.things.indexes[1]: the texts of an index need "max" of 500 or less together',
  ]);
});

test('a number that would lose digits is a mistake, with its line', () => {
  const numbers = [
    '1e400',
    '0.1234567890123456789',
    '-1.50',
    '1E2',
    '100.0e-2',
    '5e-324',
    '-0.0',
    '0e5',
    '1e23',
    '123456789e-8',
  ];
  const path = written(`{"collections":{"a":{"fields":{"x":{"type":"json","default":[\n${numbers.join(',\n')}]}}}}}`);
  expect(() => readConfigFile(path, [])).toThrow(
    /^[^\n]*: line 2: 1e400 cannot be kept with all its digits[^\n]*\n[^\n]*: line 3: 0.1234567890123456789 cannot[^\n]*$/,
  );
});

test('comments, trailing commas and 64-bit bounds are read; false leaves out collections of the contract', async () => {
  const path = written(`{
    // A comment.
    "items": false, "collections": { "users": false,
      "things": { "fields": { "n": { "type": "integer", "max": 9223372036854775807, "min": -9223372036854775807, } }, },
    }, /* another */
    "settings": { "port": 0, "metrics": true, },
  }`);
  const shelf = await startShelf({ args: ['--config', path, '--database', 'memory:'] });
  const index = (await (await fetch(`${shelf.url}/api/v2`)).text()) as string;
  expect(index).toContain('"max":9223372036854775807');
  expect(index).not.toContain('"items"');
  expect(index).not.toContain('"users"');
  expect((await fetch(`${shelf.url}/api/items`)).status).toBe(404);
  expect((await fetch(`${shelf.url}/metrics`)).status).toBe(200);
  const send = (n: string) => fetch(`${shelf.url}/api/v2/things`, { method: 'POST', body: `{"n":${n}}` });
  expect(await (await send('9223372036854775807')).text()).toContain('"n":9223372036854775807');
  expect(await (await send('-9223372036854775808')).text()).toContain('must be at least -9223372036854775807');
  await shelf.stop();
});

test('a flag beats a variable, a variable beats the file, and the file beats the default', async () => {
  const path = written({ settings: { 'max-body': '100', idempotency: '1h', auth: 'off' } });
  const limit = async (args: readonly string[], env: Record<string, string>) => {
    const shelf = await startShelf({ args: ['--config', path, '--database', 'memory:', '--port', '0', ...args], env });
    const body = JSON.stringify({ id: 1, name: 'x'.repeat(150), price: 1 });
    const { status } = await fetch(`${shelf.url}/api/items`, { method: 'POST', body });
    await shelf.stop();
    return status;
  };
  expect(await limit([], {})).toBe(413);
  expect(await limit([], { SHELF_MAX_BODY: '1000' })).toBe(201);
  expect(await limit(['--max-body', '100'], { SHELF_MAX_BODY: '1000' })).toBe(413);
});

test('more collections or fields than the bounds are refused', () => {
  const many = (count: number, one: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, one]));
  expect(mistakesIn({ collections: many(maxCollections, { fields: { a: 'text' } }) })).toEqual([]);
  expect(mistakesIn({ collections: many(maxCollections + 1, { fields: { a: 'text' } }) })).toEqual([
    'collections: has 201 collections; at most 200 are possible',
  ]);
  expect(mistakesIn(book(many(maxFields + 1, 'text')))).toEqual([
    'collections.books.fields: has 201 fields; at most 200 are possible',
  ]);
});

test('init writes a file that has no mistakes, is found by itself, and is never overwritten', async () => {
  const home = join(folder, 'home');
  mkdirSync(home);
  const made = await runShelf({ args: ['init'], cwd: home });
  expect(made.stdout).toContain('shelf check shelf.json');
  const text = readFileSync(join(home, 'shelf.json'), 'utf8');
  expect(text).toContain('//');
  expect((await runShelf({ args: ['check'], cwd: home })).stdout).toBe(
    'shelf.json has no mistakes. Served: items, users, authors, books.\n',
  );
  const again = await runShelf({ args: ['init'], cwd: home });
  expect(again.code).toBe(1);
  expect(again.stderr).toBe(
    'shelf: shelf.json exists already: edit it, or choose another name with shelf init FILE.\n',
  );
  expect(readFileSync(join(home, 'shelf.json'), 'utf8')).toBe(text);
  const shelf = await startShelf({ args: ['--port', '0', '--database', 'memory:'], cwd: home });
  expect((await fetch(`${shelf.url}/api/v2/books`)).status).toBe(200);
  await shelf.stop();
});

test('a file with mistakes ends the start with exit code 2 and a line for each', async () => {
  const path = written(book({ a: 'txt', b: 'intger' }));
  const { code, stderr, stdout } = await runShelf({ args: ['--config', path, '--database', 'memory:'] });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    `shelf: ${path}: collections.books.fields.a.type: there is no type "txt"; did you mean "text"?\n` +
      `shelf: ${path}: collections.books.fields.b.type: there is no type "intger"; did you mean "integer"?\n`,
  );
});

test('a file that is not there, and a command without one, are clear', async () => {
  const missing = await runShelf({ args: ['--config', '/nowhere/x.json'] });
  expect(missing.code).toBe(2);
  expect(missing.stderr).toBe('shelf: Cannot read /nowhere/x.json: there is no such file. Check --config.\n');
  const none = await runShelf({ args: ['check'], cwd: folder });
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('There is no shelf.json here');
});

test('shelf.schema.json is the schema that is served, and it accepts and refuses files', async () => {
  expect(JSON.parse(readFileSync(schemaPath, 'utf8'))).toEqual(JSON.parse(schemaText()));
  const server = await startServer();
  const served = (await (await fetch(`${server.url}/shelf.schema.json`)).json()) as object;
  await server.stop();
  const accepts = new Ajv({ strict: false, validateFormats: false }).compile(served);
  expect(
    accepts({ $schema: 'x', collections: libraryFile, items: false, settings: { port: 8000, metrics: true } }),
  ).toBe(true);
  for (const wrong of [
    book({ a: 'txt' }),
    book({ a: { type: 'decimal' } }),
    book({ a: { type: 'text', scale: 2 } }),
    book({ a: { type: 'boolean', unique: true } }),
    book({ a: 'text' }, { indxes: [] }),
    { settings: { prt: 1 } },
    { colections: {} },
  ])
    expect(accepts(wrong)).toBe(false);
});

test('migrate writes a backup before it loses something, and none if it is refused', async () => {
  const cwd = temporaryFolder();
  const run = (fields: object, ...args: string[]) => {
    const config = written({ collections: { books: { singular: 'book', fields } } });
    return runShelf({ args: ['migrate', '--config', config, ...args], cwd });
  };
  const collections = declared({ books: { singular: 'book', fields: { title: 'text', tags: 'text' } } });
  await (await startServer({ database: `sqlite:${join(cwd, 'data/shelf.db')}`, collections })).stop();
  const copies = () => readdirSync(join(cwd, 'data')).filter((name) => name.includes('.before-'));
  const refused = await run({ title: 'text' });
  expect({ code: refused.code, stdout: refused.stdout, copies: copies() }).toEqual({ code: 1, stdout: '', copies: [] });
  const steps: [fields: object, allowed: string][] = [
    [{ title: 'text' }, 'drop:books.tags'],
    [{ title: 'integer' }, 'type:books.title'],
  ];
  for (const [done, [fields, allowed]] of steps.entries()) {
    const { code, stdout } = await run(fields, '--allow', allowed);
    expect({ code, first: stdout.split('\n')[0] }).toEqual({
      code: 0,
      first: expect.stringMatching(
        /^Backup: data\/shelf\.db\.before-.* is sound, and has 1 items, 1 users and 0 books\.$/,
      ),
    });
    expect(copies()).toHaveLength(done + 1);
  }
});
