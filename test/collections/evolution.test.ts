/** A database follows changed declarations, and loses nothing unasked. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { planText } from '../../src/declarations/refusal.ts';
import type { ApiKey } from '../../src/domain/store/api-keys.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { declared } from '../support/data/library.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import {
  add,
  fields,
  type Json,
  migrate,
  plan,
  planned,
  records,
  refusal,
  serving,
  violated,
} from '../support/servers/evolving.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const key: ApiKey = {
  id: 'a',
  name: 'a',
  digest: 'a',
  scope: 'read',
  collections: undefined,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: undefined,
  revokedAt: undefined,
  lastUsedAt: undefined,
};

for (const [engine, newUrl] of lastingEngines()) {
  const named = (title: string) => `${engine}: ${title}`;
  const isPostgres = engine === 'postgres';

  test(named('what loses nothing is done at the start'), async () => {
    const url = await newUrl();
    const marks = (max: number) => ({ type: 'list', of: { type: 'integer', max }, default: [] });
    const before = fields({
      title: { type: 'text', max: 5 },
      pages: { type: 'integer', optional: true },
      marks: marks(5),
    });
    const after = {
      authors: { singular: 'author', fields: { name: 'text' } },
      books: {
        singular: 'book',
        fields: {
          pages: { type: 'integer', optional: true },
          state: { type: 'choice', of: ['draft', 'done'], default: 'draft' },
          price: { type: 'decimal', scale: 2, default: '1.5' },
          title: { type: 'text', max: 10 },
          marks: marks(10),
          note: { type: 'text', optional: true },
          low: { type: 'number', default: -0 },
          tags: { type: 'list', of: 'text', default: ["it's"] },
          seen: { type: 'timestamp', default: '2026-01-01T00:00:00+01:00' },
          by: { type: 'reference', to: 'authors', optional: true },
        },
        indexes: ['pages', ['state', 'price']],
      },
    };
    await serving(url, before, (ask) => add(ask, { title: 'one', pages: 1 }, { title: 'two', pages: 2 }));
    expect(await plan(url, after)).toEqual([
      'none: authors: create the collection',
      'none: books.state: add the field; records get "draft"',
      'none: books.price: add the field; records get "1.5"',
      'none: books.title: widen the bounds',
      'none: books.marks: widen the bounds',
      'none: books.note: add the field; records get null',
      'none: books.low: add the field; records get -0',
      'none: books.tags: add the field; records get ["it\'s"]',
      'none: books.seen: add the field; records get "2026-01-01T00:00:00+01:00"',
      'none: books.by: add the field; records get null',
      'none: books: add the index on pages',
      'none: books: add the index on state, price',
    ]);
    await serving(url, after, async (ask) => {
      expect(await records(ask)).toEqual([
        {
          id: 1,
          pages: 1,
          state: 'draft',
          price: '1.50',
          title: 'one',
          marks: [],
          note: null,
          low: -0,
          tags: ["it's"],
          seen: '2025-12-31T23:00:00.000Z',
          by: null,
          version: 1,
        },
        {
          id: 2,
          pages: 2,
          state: 'draft',
          price: '1.50',
          title: 'two',
          marks: [],
          note: null,
          low: -0,
          tags: ["it's"],
          seen: '2025-12-31T23:00:00.000Z',
          by: null,
          version: 1,
        },
      ]);
      await add(ask, { title: 'three', note: 'n', marks: [10] });
      expect((await ask('books/2', { pages: null, title: 'ten chars.' }, 'PATCH')).status).toBe(200);
    });
    expect(await plan(url, after)).toEqual([]);
  });

  test(named('an earlier file still starts, and leaves alone what it does not know'), async () => {
    const url = await newUrl();
    const before = fields({ title: 'text' });
    const after = fields({
      title: 'text',
      note: { type: 'text', optional: true },
      stars: { type: 'integer', default: 3 },
    });
    await serving(url, before, (ask) => add(ask, { title: 'a' }));
    await serving(url, after, (ask) => add(ask, { title: 'b', note: 'kept', stars: 5 }));
    await serving(url, before, async (ask) => {
      await add(ask, { title: 'c' });
      expect((await ask('books/2', { title: 'B' }, 'PATCH')).body).toMatchObject({ title: 'B', version: 2 });
    });
    await serving(url, after, async (ask) => {
      expect(await records(ask)).toMatchObject([
        { title: 'a', note: null, stars: 3 },
        { title: 'B', note: 'kept', stars: 5 },
        { title: 'c', note: null, stars: 3 },
      ]);
    });
  });

  test(named('in a new field whose default is the moment, all records get that of the migration'), async () => {
    const url = await newUrl();
    const before = fields({ title: 'text', at: { type: 'timestamp', default: '2026-01-01T00:00:00Z' } });
    const after = fields({
      title: 'text',
      at: { type: 'timestamp', default: '$now' },
      seen_at: { type: 'timestamp', default: '$now' },
      seen_on: { type: 'date', default: '$today', optional: true },
    });
    await serving(url, before, (ask) => add(ask, { title: 'a' }, { title: 'b' }));
    // Another default needs no step.
    expect(await plan(url, after)).toEqual([
      'none: books.seen_at: add the field; records get the time of the migration',
      'none: books.seen_on: add the field; records get the day of the migration',
    ]);
    const began = new Date().toISOString();
    await serving(url, after, async (ask) => {
      const [a, b] = await records(ask);
      const { seen_at, seen_on, at } = a ?? {};
      // The clock of PostgreSQL has microseconds, which are rounded.
      expect(Date.parse(String(seen_at))).toBeWithin(Date.parse(began) - 1, Date.now() + 2);
      expect([at, seen_on]).toEqual(['2026-01-01T00:00:00.000Z', String(seen_at).slice(0, 10)]);
      expect(b).toMatchObject({ seen_at, seen_on, version: 1 });
      await add(ask, { title: 'c' });
      const { body } = await ask('books/3');
      expect(body).toMatchObject({ at: body.created_at, seen_at: body.created_at });
    });
    // The earlier file still starts: the database itself fills the fields that it does not know.
    await serving(url, before, (ask) => add(ask, { title: 'd' }));
    await serving(url, after, async (ask) => {
      const { body } = await ask('books/4');
      expect(Date.parse(String(body.seen_at))).toBeWithin(Date.parse(began) - 1, Date.now() + 2);
      expect(body).toMatchObject({ at: '2026-01-01T00:00:00.000Z', seen_on: String(body.seen_at).slice(0, 10) });
      expect(body.seen_at).not.toBe((await ask('books/1')).body.seen_at as string);
    });
  });

  test(named('what would lose or refuse data is not done unasked'), async () => {
    const url = await newUrl();
    const sizes = (max: number) => ({ type: 'list', of: { type: 'integer', max }, default: [] });
    const before = fields({
      title: { type: 'text', max: 100 },
      pages: 'integer',
      tag: { type: 'text', optional: true },
      sizes: sizes(9),
    });
    await serving(url, before, (ask) =>
      add(ask, { title: 'x', pages: 1, tag: null, sizes: [1, 9] }, { title: 'x', pages: 200 }),
    );
    const cases: [object, string][] = [
      [
        { title: { type: 'text', max: 100 }, pages: 'integer', sizes: sizes(9) },
        'books.tag: remove the field, with its values',
      ],
      [{ ...before.books.fields, pages: 'text' }, 'books.pages: convert integer to text'],
    ];
    for (const [after, text] of cases) {
      const message = await refusal(url, fields(after));
      expect(message).toContain('nothing was changed');
      expect(message).toContain(`not done  ${text}`);
      expect(message).toContain('shelf migrate --allow');
    }
    const checks: [object, string][] = [
      [{ ...before.books.fields, need: 'text' }, 'books.need cannot be required: record 1 has no value'],
      [
        { ...before.books.fields, title: { type: 'text', max: 100, unique: true } },
        'books.title cannot be unique: records 1 and 2 have the same value',
      ],
      [{ ...before.books.fields, pages: { type: 'integer', max: 100 } }, 'books.pages of record 2 must be at most 100'],
      [{ ...before.books.fields, tag: 'text' }, 'books.tag cannot be required: record 1 has no value'],
      [{ ...before.books.fields, sizes: sizes(8) }, 'books.sizes of record 1 element 1 must be at most 8'],
    ];
    for (const [after, text] of checks) {
      if (isPostgres)
        expect(await refusal(url, fields(after))).toContain(
          'Run shelf migrate (with the same --config) to do all of it',
        );
      const message = await migrate(url, fields(after)).then(String, (error: Error) => error.message);
      expect(message).toContain(text);
    }
    await serving(url, before, async (ask) => {
      expect(await records(ask)).toHaveLength(2);
      await add(ask, { title: 'y', pages: 7 });
    });
  });

  test(named('bounds, unique values and required fields are narrowed if all records fit'), async () => {
    const url = await newUrl();
    const before = fields({ title: { type: 'text', max: 100 }, pages: { type: 'integer', optional: true } });
    const after = fields({
      title: { type: 'text', max: 50, unique: true, pattern: '^[a-z]+$' },
      pages: { type: 'integer', max: 10 },
    });
    await serving(url, before, (ask) => add(ask, { title: 'a', pages: 1 }, { title: 'b', pages: 10 }));
    expect(await migrate(url, after)).toEqual([
      'books.title: narrow the bounds',
      'books.pages: narrow the bounds',
      'books.pages: require a value',
      'books.title: make it unique',
    ]);
    await serving(url, after, async (ask) => {
      expect((await ask('books', { title: 'a', pages: 1 })).status).toBe(409);
      expect((await ask('books', { title: 'c' })).status).toBe(400);
      await add(ask, { title: 'c', pages: 3 });
    });
    // Back to the earlier file: that is wider. A server with the later one would not know what to do with null.
    if (isPostgres) expect(await refusal(url, before)).toContain('not done  books.pages: make it optional');
    expect(await migrate(url, before)).toContain('books.pages: make it optional');
  });

  test(named('a plan runs its checks, and names the first records that do not fit'), async () => {
    const url = await newUrl();
    const authors = { singular: 'author', fields: { name: 'text' } };
    const before = {
      authors,
      ...fields({
        title: { type: 'text', max: 200 },
        pages: 'integer',
        price: { type: 'decimal', scale: 2 },
        tag: { type: 'text', optional: true },
        by: 'integer',
        isbn: { type: 'text', max: 20 },
      }),
    };
    const after = {
      authors,
      ...fields({
        name: { type: 'text', max: 100, unique: true, was: 'title' },
        pages: { type: 'integer', max: 100 },
        price: 'integer',
        tag: { type: 'text' },
        by: { type: 'reference', to: 'authors' },
        isbn: { type: 'text', max: 20, unique: true },
        need: 'text',
        first: { type: 'reference', to: 'authors', default: 7 },
      }),
    };
    const long = 'x'.repeat(150);
    await serving(url, before, async (ask) => {
      await ask('authors', { name: 'A' });
      const book = { title: 'ok', pages: 1, price: '1.00', tag: 't', by: 1, isbn: 'a' };
      await add(ask, book, { ...book, pages: 9007199254740992, price: '1.50', by: 9, isbn: 'b' });
      await add(
        ask,
        ...[3, 4, 5, 6, 7, 8].map((n) => ({ ...book, title: `t${n}`, isbn: `${n}`, pages: 200, tag: null })),
      );
      await add(ask, { ...book, title: long, isbn: 'a' });
    });
    const { changes, violations } = await planned(url, after);
    expect(changes.flatMap(({ steps }) => steps).length).toBeGreaterThan(6);
    expect(violations.map(({ text }) => text)).toEqual([
      `books.name of record 9 is "${'x'.repeat(59)}...: must have at most 100 characters; it has 150`,
      'books.pages of record 2 is 9007199254740992: must be at most 100',
      ...[3, 4, 5, 6].map((seq) => `books.pages of record ${seq} is 200: must be at most 100`),
      'books.pages: there are more',
      'books.price of record 2 is "1.50": must be an integer',
      ...[3, 4, 5, 6, 7].map((seq) => `books.tag of record ${seq} is null: a value is required`),
      'books.tag: there are more',
      'books.by of record 2 is 9: authors has no such record',
      ...[1, 2, 3, 4, 5].map((seq) => `books.need is new and required, and record ${seq} has no value`),
      'books.need: there are more',
      'books.first is new, and its default 7 is not a record of authors',
      'books.name of records 1 and 2 is "ok": it must be unique',
      'books.isbn of records 1 and 9 is "a": it must be unique',
    ]);
    const text = planText(await planned(url, after));
    expect(text).toContain('books.pages: narrow the bounds\n    loses nothing if every record fits\n');
    expect(text).toContain('These records do not fit, and have to be changed first:\n    books.name of record 9');
    // Nothing is changed, and a file that fits is said to.
    await serving(url, before, async (ask) => expect(await records(ask)).toHaveLength(9));
    const fitting = { authors, ...fields({ ...before.books.fields, pages: { type: 'integer', min: 1 } }) };
    expect(planText(await planned(url, fitting))).toBe(
      'books.pages: narrow the bounds\n    loses nothing if every record fits\nEvery record fits.\n',
    );
  });

  test(named('a plan finds values that become equal, and targets under the name of before'), async () => {
    const url = await newUrl();
    const before = {
      authors: { singular: 'author', fields: { name: 'text' } },
      ...fields({ at: { type: 'text', max: 50 }, by: { type: 'text', max: 9 } }),
    };
    await serving(url, before, async (ask) => {
      await ask('authors', { name: 'A' });
      await add(ask, { at: '1', by: '1' }, { at: '2', by: '2' }, { at: '2', by: 'x' });
    });
    const after = {
      writers: { singular: 'writer', was: 'authors', fields: { name: 'text' } },
      shops: { singular: 'shop', fields: { name: 'text' } },
      ...fields({ at: { type: 'integer', unique: true }, by: { type: 'reference', to: 'writers' } }),
    };
    expect(await violated(url, after)).toEqual([
      'books.by of record 2 is "2": writers has no such record',
      'books.by of record 3 is "x": must be an integer',
      'books.at of records 2 and 3 is 2: it must be unique',
    ]);
    // A collection that is new has no records.
    const elsewhere = { ...after, ...fields({ at: 'text', by: { type: 'reference', to: 'shops' } }) };
    expect(await violated(url, elsewhere)).toContain('books.by of record 1 is "1": shops has no such record');
  });

  test(named('a rename without was is recognised, in the plan and in the refusal'), async () => {
    const url = await newUrl();
    const before = fields({ title: 'text', pages: 'integer' });
    await serving(url, before, (ask) => add(ask, { title: 'a', pages: 1 }));
    const renamed = fields({ name: 'text', pages: 'integer' });
    const advice = 'If books.title is called name now, declare "was": "title" there: its values are kept.';
    const required = 'Unless books is empty, books.name needs "was", a default or "optional": true.';
    const run = 'Run shelf migrate --allow drop:books.title (with the same --config) to do all of it';
    expect(await refusal(url, renamed)).toContain(`\n${advice}\n${required}\n${run}`);
    expect(planText(await planned(url, renamed))).toContain(`${advice}\n${required}\n`);
    // Fields of another type are others.
    const other = planText(await planned(url, fields({ name: { type: 'date', optional: true }, pages: 'integer' })));
    expect(other).not.toContain('was');
    const two = fields({ name: { type: 'text', default: '' }, label: { type: 'text', default: '' }, pages: 'integer' });
    expect(await refusal(url, two)).toContain('If books.title is called name or label now');
    // With it, nothing is lost.
    await migrate(url, fields({ name: { type: 'text', was: 'title' }, pages: 'integer' }));
    await serving(url, renamed, async (ask) => expect(await records(ask)).toMatchObject([{ name: 'a', pages: 1 }]));
  });

  test(named('collections that the database has and the file does not declare are named'), async () => {
    const url = await newUrl();
    const both = { ...fields({ title: 'text' }), others: { singular: 'other', fields: { a: 'text' } } };
    await serving(url, both, async (_, store) => expect(store.admin.unserved).toEqual([]));
    const volumes = { volumes: { singular: 'volume', fields: { title: 'text' } } };
    expect(planText(await planned(url, { others: both.others, ...volumes }))).toBe(
      `volumes: create the collection
    loses nothing; done at the start of a server
Not served: books. The database has it, and the file does not declare it; its records stay.
If books is called volumes now, declare "was" there: its records are kept.
`,
    );
    await serving(url, volumes, async (_, store) =>
      expect([...store.admin.unserved].sort()).toEqual(['books', 'others']),
    );
    const renamed = {
      volumes: { ...volumes.volumes },
      tomes: { singular: 'tome', was: 'books', fields: { title: 'text' } },
    };
    expect((await planned(url, renamed)).unserved).toEqual(['others']);
  });

  test(named('fields and collections are renamed, and recorded changes keep their names'), async () => {
    const url = await newUrl();
    const before = {
      authors: { singular: 'author', fields: { name: 'text' } },
      books: {
        singular: 'book',
        fields: { title: { type: 'text', max: 9, unique: true }, by: { type: 'reference', to: 'authors' } },
        indexes: ['title'],
      },
    };
    const after = {
      writers: { singular: 'writer', was: 'authors', fields: { full_name: { type: 'text', was: 'name' } } },
      works: {
        singular: 'work',
        was: 'books',
        fields: {
          name: { type: 'text', max: 9, unique: true, was: 'title' },
          by: { type: 'reference', to: 'writers' },
        },
        indexes: ['name'],
      },
    };
    const cursor = await serving(url, before, async (ask, store) => {
      await store.admin.apiKeys.add({ ...key, collections: ['authors', 'books', 'items'] });
      await store.admin.apiKeys.add({ ...key, id: 'b', name: 'b', digest: 'b', collections: ['my_books'] });
      await ask('authors', { name: 'A' });
      await add(ask, { title: 'x', by: 1 }, { title: 'y', by: 1 });
      return ((await ask('books?limit=1')).body as { next_cursor: string }).next_cursor;
    });
    if (isPostgres) expect(await refusal(url, after)).toContain('not done  works: rename the collection books');
    await migrate(url, after);
    await serving(url, after, async (ask, store) => {
      const scopes = (await store.admin.apiKeys.list()).map(({ collections }) => collections);
      expect(scopes).toEqual([['writers', 'works', 'items'], ['my_books']]);
      expect(await records(ask, 'works')).toMatchObject([
        { id: 1, name: 'x', by: 1 },
        { id: 2, name: 'y' },
      ]);
      expect((await ask('works', { name: 'x', by: 1 })).status).toBe(409);
      expect((await ask('works', { name: 'z', by: 1 })).body).toMatchObject({ id: 3, name: 'z' });
      const { data } = (await ask('changes?collection=works')).body as { data: { type: string; record: Json }[] };
      expect(data.map(({ type, record }) => [type, record.title ?? record.name])).toEqual([
        ['book.created', 'x'],
        ['book.created', 'y'],
        ['work.created', 'z'],
      ]);
      expect((await ask('books')).status).toBe(404);
      expect((await ask(`works?limit=1&cursor=${cursor}`)).status).toBe(400);
      expect((await ask('writers/1', undefined, 'DELETE')).status).toBe(409);
    });
    // A leftover `was` is ignored.
    expect(await plan(url, after)).toEqual([]);
  });

  test(named('a collection gets its former name back, and its idempotency keys follow it'), async () => {
    const url = await newUrl();
    const of = (name: string, was?: string) => ({
      [name]: { singular: name.slice(0, -1), fields: { title: 'text' }, ...(was === undefined ? {} : { was }) },
    });
    const renames = [
      ['volumes', 'books'],
      ['books', 'volumes'],
      ['volumes', 'books'],
      ['tomes', 'volumes'],
    ] as const;
    await serving(url, of('books'), async (ask) => {
      expect(await ask('books', { title: 'a' }, 'POST', 'the-same')).toMatchObject({ status: 201, replayed: null });
    });
    for (const [name, was] of renames) {
      expect(await migrate(url, of(name, was))).toContain(`${name}: rename the collection ${was}`);
      expect(await plan(url, of(name, was))).toEqual([]);
    }
    expect(await refusal(url, of('volumes'))).toContain('volumes: is called tomes now; use the newer file');
    // Its former names are free for others.
    await serving(url, { ...of('tomes'), ...of('books') }, async (ask) => {
      expect(await ask('tomes', { title: 'a' }, 'POST', 'the-same')).toMatchObject({ status: 201, replayed: 'true' });
      expect(await ask('tomes', { title: 'b' }, 'POST', 'the-same')).toMatchObject({ status: 422 });
      expect(await ask('books', { title: 'b' }, 'POST', 'the-same')).toMatchObject({ status: 201, replayed: null });
      expect(await records(ask, 'tomes')).toMatchObject([{ title: 'a' }]);
    });
  });

  test(named('a value that refers to nothing is shown with all its digits'), async () => {
    const url = await newUrl();
    const authors = { fields: { name: 'text' } };
    const server = await startServer({
      database: url,
      collections: declared({ authors, ...fields({ by: 'integer' }) }),
    });
    await fetch(`${server.url}/api/v2/books`, { method: 'POST', body: '{"by":9007199254740993}' });
    await server.stop();
    const after = { authors, ...fields({ by: { type: 'reference', to: 'authors' } }) };
    await expect(migrate(url, after, ['type:books.by'])).rejects.toThrow('record 1 has 9007199254740993, and authors');
  });

  test(named('a removed field and a changed type are done if they are allowed, exactly or not at all'), async () => {
    const url = await newUrl();
    const before = fields({
      title: 'text',
      pages: 'integer',
      size: { type: 'decimal', scale: 2 },
      tags: { type: 'list', of: 'text', default: [] },
    });
    const after = fields({ title: 'integer', pages: 'text', size: { type: 'decimal', scale: 4 } });
    const allowed = ['drop:books.tags', 'type:books.title', 'type:books.pages', 'type:books.size'];
    const cursor = await serving(url, before, async (ask) => {
      await add(ask, { title: '12', pages: 9007199254740992, size: '1.5' }, { title: 'x', pages: 2, size: '2' });
      return ((await ask('books?sort=title&limit=1')).body as { next_cursor: string }).next_cursor;
    });
    await expect(migrate(url, after, allowed.slice(1))).rejects.toThrow('not done  books.tags: remove the field');
    await expect(migrate(url, after, allowed)).rejects.toThrow('books.title of record 2 must be an integer');
    await serving(url, before, async (ask) => {
      expect((await ask(`books?sort=title&cursor=${cursor}`)).status).toBe(200);
      expect((await ask('books/2', undefined, 'DELETE')).status).toBe(204);
    });
    await migrate(url, after, allowed);
    await serving(url, after, async (ask) => {
      // Its values are in another order now.
      expect((await ask(`books?sort=title&cursor=${cursor}`)).status).toBe(400);
      const answer = (await ask('books/1')).body;
      expect(answer).toMatchObject({ title: 12, size: '1.5000', pages: '9007199254740992' });
      expect(Object.keys(answer)).toEqual(['id', 'title', 'pages', 'size', 'version', 'created_at', 'updated_at']);
      // Numbers of deleted records are not given out again.
      expect((await ask('books', { title: 3, pages: 'p', size: '0' })).body.id).toBe(3);
    });
  });

  test(named('a collection that is no longer named stays, untouched and unserved'), async () => {
    const url = await newUrl();
    const both = { ...fields({ title: 'text' }), others: { singular: 'other', fields: { a: 'text' } } };
    await serving(url, both, async (ask) => {
      await add(ask, { title: 'kept' });
    });
    await serving(url, { others: both.others }, async (ask) => {
      expect((await ask('books')).status).toBe(404);
      expect(JSON.stringify((await ask('changes')).body)).not.toContain('kept');
      await ask('others', { a: 'x' });
    });
    await serving(url, both, async (ask) => {
      expect(await records(ask)).toMatchObject([{ title: 'kept' }]);
      expect(JSON.stringify((await ask('changes')).body)).toContain('kept');
    });
  });

  test(named('what a collection that is not served refers to cannot be deleted'), async () => {
    const url = await newUrl();
    const both = {
      authors: { singular: 'author', fields: { name: 'text' } },
      books: { singular: 'book', fields: { by: { type: 'reference', to: 'authors', on_delete: 'cascade' } } },
    };
    await serving(url, both, async (ask) => {
      await ask('authors', { name: 'a' });
      await add(ask, { by: 1 });
    });
    await serving(url, { authors: both.authors }, async (ask) => {
      expect(await ask('authors/1', undefined, 'DELETE')).toMatchObject({ status: 409, body: { collection: 'books' } });
      await ask('authors', { name: 'b' });
      expect((await ask('authors/2', undefined, 'DELETE')).status).toBe(204);
    });
  });

  test(named('what a field of a later file refers to cannot be deleted under an earlier file'), async () => {
    const url = await newUrl();
    const authors = { singular: 'author', fields: { name: 'text' } };
    const before = { authors, ...fields({ title: { type: 'text', max: 5 } }) };
    const by = { type: 'reference', to: 'authors', on_delete: 'cascade', optional: true };
    const after = {
      authors,
      ...fields({ title: { type: 'text', max: 9 }, by, state: { type: 'text', default: "it's" } }),
    };
    await serving(url, before, (ask) => ask('authors', { name: 'a' }));
    await serving(url, after, (ask) => add(ask, { title: 'x', by: 1 }));
    await serving(url, before, async (ask) => {
      expect(await ask('authors/1', undefined, 'DELETE')).toMatchObject({ status: 409, body: { collection: 'books' } });
      await add(ask, { title: 'y' });
    });
    await serving(url, after, async (ask) =>
      expect(await records(ask)).toMatchObject([{ by: 1 }, { title: 'y', by: null, state: "it's" }]),
    );
  });

  test(named('several conversions beside a reference are done in one migration'), async () => {
    const url = await newUrl();
    const authors = { singular: 'author', fields: { name: 'text' } };
    const by = { type: 'reference', to: 'authors' };
    await serving(url, { authors, ...fields({ a: 'text', b: 'text', by }) }, async (ask) => {
      await ask('authors', { name: 'a' });
      await add(ask, { a: '1', b: '2', by: 1 });
    });
    const after = { authors, ...fields({ a: 'integer', b: 'integer', by }) };
    await migrate(url, after, ['type:books.a', 'type:books.b']);
    await serving(url, after, async (ask) => expect(await records(ask)).toMatchObject([{ a: 1, b: 2, by: 1 }]));
  });

  test(named('a collection whose earlier name is declared, too, is refused'), async () => {
    const url = await newUrl();
    const of = (was?: string) => ({ fields: { a: 'text' }, ...(was === undefined ? {} : { was }) });
    await serving(url, { volumes: of(), writers: of() }, (ask) => ask('volumes', { a: 'kept' }));
    const chain = { tomes: of('volumes'), volumes: of('writers') };
    expect(await refusal(url, chain)).toContain('not done  tomes: was volumes, and volumes is declared, too');
    // The file that names the other one no longer serves it, but it is still there.
    expect(await refusal(url, { volumes: of('writers') })).toContain(
      'not done  volumes: was writers, but the database has a volumes that is another one',
    );
    await migrate(url, { tomes: of('volumes') });
    await migrate(url, chain);
    await serving(url, chain, async (ask) => {
      expect(await records(ask, 'tomes')).toMatchObject([{ a: 'kept' }]);
      expect(await records(ask, 'volumes')).toEqual([]);
    });
  });

  test(named('a collection that is not served follows the rename of what it refers to'), async () => {
    const url = await newUrl();
    const to = (target: string) => ({
      books: { singular: 'book', fields: { by: { type: 'reference', to: target } } },
    });
    const authors = { singular: 'author', fields: { name: 'text' } };
    const writers = { singular: 'writer', was: 'authors', fields: { name: 'text' } };
    await serving(url, { authors, ...to('authors') }, async (ask) => {
      await ask('authors', { name: 'a' });
      await add(ask, { by: 1 });
    });
    await migrate(url, { writers });
    await serving(url, { writers, ...to('writers') }, async (ask) => {
      expect(await records(ask)).toMatchObject([{ by: 1 }]);
      expect((await ask('writers/1', undefined, 'DELETE')).status).toBe(409);
    });
  });

  test(named('a file from before a rename is refused, and does not start with an empty collection'), async () => {
    const url = await newUrl();
    const before = fields({ title: 'text' });
    const after = { volumes: { singular: 'volume', was: 'books', fields: { title: 'text' } } };
    await serving(url, before, (ask) => add(ask, { title: 'a' }));
    await migrate(url, after);
    expect(await refusal(url, before)).toContain('books: is called volumes now; use the newer file');
    await serving(url, { ...after, ...before }, async (ask) => {
      expect(await records(ask)).toEqual([]);
      expect(await records(ask, 'volumes')).toMatchObject([{ title: 'a' }]);
    });
  });

  test(named('values are converted exactly, or refused with their record'), async () => {
    // src/declarations/convert.test.ts has the other types.
    const cases: [object, unknown, object, unknown][] = [
      [{ type: 'decimal', scale: 3 }, '1.230', { type: 'decimal', scale: 2 }, '1.23'],
      [{ type: 'decimal', scale: 2 }, '92233720368547758.07', { type: 'number' }, 'cannot be kept exactly'],
      [{ type: 'text' }, '-7', { type: 'integer' }, -7],
      [{ type: 'text' }, '174', { type: 'decimal', scale: 2 }, '174.00'],
      [{ type: 'text' }, '-0', { type: 'number' }, -0],
      [{ type: 'text' }, 'constructor', { type: 'boolean' }, 'must be true or false'],
      [{ type: 'list', of: 'integer' }, [2 ** 53 + 2], { type: 'list', of: 'number' }, [2 ** 53 + 2]],
      [{ type: 'list', of: 'text' }, ['2026-11-15T10:00:00.1239Z'], { type: 'list', of: 'timestamp' }, 'kept exactly'],
      [
        { type: 'list', of: { type: 'decimal', scale: 2 } },
        ['1.23'],
        { type: 'list', of: { type: 'decimal', scale: 3 } },
        ['1.230'],
      ],
    ];
    const all = (at: 0 | 2) => fields(Object.fromEntries(cases.map((one, n) => [`f${n}`, one[at]])));
    const url = await newUrl();
    await serving(url, all(0), (ask) => add(ask, Object.fromEntries(cases.map(([, value], n) => [`f${n}`, value]))));
    for (const [n, [from, , to, result]] of cases.entries()) {
      const file = fields({ ...all(0).books.fields, [`f${n}`]: to });
      const message = await migrate(url, file, [`type:books.f${n}`]).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (message !== undefined) {
        expect({ n, message }).toEqual({ n, message: expect.stringContaining(String(result)) });
        continue;
      }
      await serving(url, file, async (ask) => {
        expect((await ask('books/1')).body[`f${n}`]).toEqual(result);
      });
      await migrate(url, fields({ ...all(0).books.fields, [`f${n}`]: from }), [`type:books.f${n}`]);
    }
  });

  test(named('first records are added after those that they refer to, or the start says why not'), async () => {
    const shelves = { fields: { name: 'text' }, first: { name: 's' } };
    const boxes = (shelf: number) => ({ fields: { on: { type: 'reference', to: 'shelves' } }, first: { on: shelf } });
    await serving(await newUrl(), { boxes: boxes(1), shelves }, async (ask) => {
      expect(await records(ask, 'boxes')).toMatchObject([{ on: 1 }]);
    });
    expect(await refusal(await newUrl(), { boxes: boxes(9), shelves })).toBe(
      'The first record of boxes cannot be added: on refers to record 9 of shelves, which does not exist. Correct "first" in the file.',
    );
  });

  test(named('contract: true can be added, and taken away if that is allowed'), async () => {
    const url = await newUrl();
    const plain = fields({ title: 'text' });
    const contract = { books: { ...plain.books, contract: true } };
    await serving(url, plain, (ask) => add(ask, { title: 'a' }));
    await migrate(url, contract);
    await serving(url, contract, async (ask) => {
      expect(await records(ask)).toEqual([{ id: 1, external_id: 1, title: 'a', version: 1 }]);
      await add(ask, { title: 'b', external_id: 77 }, { title: 'c' });
    });
    await expect(migrate(url, plain)).rejects.toThrow('remove external_id');
    await migrate(url, plain, ['drop:books.external_id']);
    await serving(url, plain, async (ask) => {
      expect(await records(ask)).toEqual([
        { id: 1, title: 'a', version: 1 },
        { id: 2, title: 'b', version: 1 },
        { id: 3, title: 'c', version: 1 },
      ]);
      await add(ask, { title: 'd' });
    });
  });
}

test('a renamed collection with the contract has the index of its ids', async () => {
  const [[, newUrl] = ['', () => '']] = lastingEngines();
  const url = await newUrl();
  const { books } = fields({ title: 'text' });
  await serving(url, { books: { ...books, contract: true } }, (ask) => add(ask, { title: 'a' }));
  await migrate(url, { tomes: { ...books, contract: true, was: 'books' } });
  using db = new Database(url.replace('sqlite:', ''));
  const indexes = db.prepare("select name from sqlite_schema where type = 'index' and tbl_name = 'tomes'");
  expect(indexes.all()).toEqual([{ name: 'tomes_by_id' }]);
});

test('a table that another program has changed ends the start with one line', async () => {
  const [[, newUrl] = ['', () => '']] = lastingEngines();
  const url = await newUrl();
  await serving(url, fields({ title: 'text', pages: 'integer' }), (ask) => add(ask, { title: 'a', pages: 1 }));
  const path = url.replace('sqlite:', '');
  using db = new Database(path);
  db.run('alter table books rename column pages to leaves');
  expect(await refusal(url, fields({ title: 'text', pages: 'integer' }))).toBe(
    `Another program changed the schema of ${path}, and nothing was done: ` +
      'unknown column "leaves" of table "books": drop it with an SQL client; ' +
      'missing column "pages" of table "books": undo that with an SQL client, or restore a backup.',
  );
});

if (postgresUrl !== undefined) {
  test('servers with the old and the new file serve side by side, until a migration stops the old one', async () => {
    const url = await newDatabase();
    const before = declared(fields({ title: 'text' }));
    const added = fields({ title: 'text', stars: { type: 'integer', default: 3 } });
    const old = await startServer({ database: url, collections: before });
    const next = await startServer({ database: url, collections: declared(added) });
    const send = async (server: TestServer, method: string, path: string, body?: object) => {
      const headers = { 'Content-Type': path.endsWith('/bulk') ? 'application/x-ndjson' : 'application/json' };
      const answer = await fetch(`${server.url}/api/v2/${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers }),
      });
      return { status: answer.status, body: (await answer.json()) as Json };
    };
    try {
      expect((await send(old, 'POST', 'books', { title: 'a' })).status).toBe(201);
      expect((await send(next, 'POST', 'books', { title: 'b', stars: 5 })).status).toBe(201);
      expect((await send(old, 'PATCH', 'books/2', { title: 'B' })).body).toMatchObject({ title: 'B', version: 2 });
      expect((await send(next, 'GET', 'books/1')).body).toMatchObject({ title: 'a', stars: 3 });
      expect((await send(next, 'GET', 'books/2')).body).toMatchObject({ title: 'B', stars: 5 });

      await migrate(url, fields({ name: { type: 'text', was: 'title' }, stars: { type: 'integer', default: 3 } }));
      for (const [server, path] of [
        [old, 'books'],
        [next, 'books/bulk'],
      ] as const) {
        expect(await send(server, 'POST', path, { title: 'c' })).toMatchObject({
          status: 503,
          body: {
            type: '/problems/not-ready',
            detail:
              'The collections of the database were changed by shelf migrate: restart this server with the new file.',
          },
        });
        expect((await send(server, 'GET', 'books')).status).toBe(503);
        expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
      }
    } finally {
      await Promise.all([old.stop(), next.stop()]);
    }
  });

  test('a deletion that a later file forbids fails alone on a server with the earlier file', async () => {
    const url = await newDatabase();
    const books = fields({ title: 'text' });
    const reviews = { fields: { book: { type: 'reference', to: 'books' } } };
    const old = await startServer({ database: url, collections: declared(books) });
    const send = async (path: string, body?: object) => {
      const post = { method: 'POST', body: JSON.stringify(body) };
      return (await fetch(`${old.url}/api/v2/${path}`, body === undefined ? { method: 'DELETE' } : post)).status;
    };
    try {
      await send('books', { title: 'a' });
      await serving(url, { ...books, reviews }, (ask) => ask('reviews', { book: 1 }));
      for (let round = 0; round < 5; round++) {
        // Those that come while the first is written are committed together.
        const writes = [send('books', { title: 'x' }), send('books/1'), send('books', { title: 'y' })];
        expect(await Promise.all(writes)).toEqual([201, 409, 201]);
      }
    } finally {
      await old.stop();
    }
  });

  test('servers that start at once with a new file change the tables once', async () => {
    const url = await newDatabase();
    await serving(url, fields({ title: 'text' }), (ask) => add(ask, { title: 'a' }));
    const after = declared({
      ...fields({ title: 'text', stars: { type: 'integer', default: 3 }, note: { type: 'text', optional: true } }),
      authors: { singular: 'author', fields: { name: 'text' }, first: { name: 'first' } },
    });
    const servers = await Promise.all(
      Array.from({ length: 6 }, () => startServer({ database: url, collections: after })),
    );
    try {
      for (const server of servers) {
        const { data } = (await (await fetch(`${server.url}/api/v2/authors`)).json()) as { data: Json[] };
        expect(data).toHaveLength(1);
        expect(await (await fetch(`${server.url}/api/v2/books`)).text()).toContain('"stars":3');
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
}
