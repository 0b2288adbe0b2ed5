/** `/api/v2/settings` on every engine: the file, the plan of a change, and the change, which the running server takes over. */
import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Entry } from '../../src/http/observe/log-entry.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { fileOf, type Json, type Live, startLive } from '../support/servers/live.ts';

const title = { type: 'text', max: 100 };
const before = fileOf({ title, tags: { type: 'text', optional: true } });
const withDraft = fileOf({ title, tags: { type: 'text', optional: true }, draft: { type: 'boolean', default: true } });
const withoutTags = fileOf({ title });

const problem = (status: number, code: string) => ({ status, body: { type: `/problems/${code}` } });

/** The temporary files of a change beside the file. */
const leftovers = ({ path }: Live) => readdirSync(dirname(path)).filter((name) => name.endsWith('.partial'));

describe.each([['memory', () => 'memory:'] as const, ...lastingEngines()])('%s', (engine, newUrl) => {
  const started: Live[] = [];
  const start = async (text = before) => {
    const live = await startLive({ text, database: await newUrl() });
    started.push(live);
    return live;
  };
  afterAll(async () => {
    for (const one of started) await one.stop();
  });

  test('a field is added while the server runs: records, routes, OpenAPI and the feed follow', async () => {
    const live = await start(`// mine\n${before}`);
    await live.ask('books', { title: 'a' });
    const state = await live.settings();
    expect(state.body).toMatchObject({
      ...{ file: 'shelf.json', text: `// mine\n${before}`, is_served: true, editable: true, reason: null },
      collections: { books: { singular: 'book', fields: { title } }, items: { singular: 'item' } },
    });
    expect((await live.plan(withDraft)).body).toEqual({
      ...{ mistakes: [], renames: [], violations: [] },
      steps: [
        {
          text: 'books.draft: add the field; records get true (1 record)',
          ...{ risk: 'none', loses: false, allow: null, records: 1, failing: [] },
        },
      ],
    });
    expect(await live.settings()).toEqual(state);

    const changed = await live.put(`// ours\n${withDraft}`);
    expect(changed).toMatchObject({ status: 200, body: { text: `// ours\n${withDraft}`, is_served: true } });
    expect(changed.tag).not.toBe(state.tag);
    expect(await live.settings()).toEqual(changed);
    expect(live.onDisk()).toBe(`// ours\n${withDraft}`);
    expect(leftovers(live)).toEqual([]);
    expect(await live.records()).toEqual([{ id: 1, title: 'a', tags: null, draft: true }]);
    expect((await live.ask('books', { title: 'b', draft: false })).status).toBe(201);
    const { paths } = (await (await fetch(`${live.url}/openapi.json`)).json()) as { paths: Json };
    expect(JSON.stringify(paths['/api/v2/books'])).toContain('draft');
    const { data } = (await live.ask('changes?collection=books')).body as { data: { record: Json }[] };
    expect(data.map(({ record }) => record.title)).toEqual(['a', 'b']);
  });

  test('a collection is added, renamed and left out', async () => {
    const live = await start();
    await live.ask('books', { title: 'a' });
    const two = { books: { singular: 'book', fields: { title } }, loans: { singular: 'loan', fields: { to: 'text' } } };
    const text = (collections: Json) => JSON.stringify({ collections });
    const tags = { tags: { type: 'text', optional: true } };
    const both = { ...two, books: { singular: 'book', fields: { title, ...tags } } };
    expect((await live.put(text(both))).status).toBe(200);
    expect((await live.ask('loans', { to: 'x' })).status).toBe(201);
    const volumes = { volumes: { singular: 'volume', was: 'books', fields: { title, ...tags } } };
    expect((await live.put(text({ ...volumes, loans: two.loans }))).status).toBe(200);
    expect(await live.records('volumes')).toEqual([{ id: 1, title: 'a', tags: null }]);
    expect((await live.ask('books')).status).toBe(404);
    expect((await live.put(text(volumes))).status).toBe(200);
    expect((await live.ask('loans')).status).toBe(404);
    expect((await live.put(text({ ...volumes, loans: two.loans }))).status).toBe(200);
    expect(await live.records('loans')).toEqual([{ id: 1, to: 'x' }]);
  });

  test('what loses values needs a decision; a rename is asked about first', async () => {
    const live = await start();
    await live.ask('books', { title: 'a', tags: 'x' });
    await live.ask('books', { title: 'b' });
    const renamed = fileOf({ title, labels: { type: 'text', optional: true } });
    const drop = {
      text: 'books.tags: remove the field, with its values (1 record)',
      ...{ risk: 'loss', loses: true, allow: 'drop:books.tags', records: 1, failing: [] },
    };
    expect((await live.plan(renamed)).body).toMatchObject({
      steps: [{ text: 'books.labels: add the field; records get null (2 records)' }, drop],
      renames: [{ collection: 'books', from: 'tags', to: ['labels'] }],
    });
    const refused = await live.put(withoutTags);
    expect(refused).toMatchObject(problem(409, 'plan-refused'));
    expect(refused.body.plan).toMatchObject({ steps: [drop] });
    expect(live.onDisk()).toBe(before);
    expect((await live.ask('books?sort=-id&limit=1')).body.data).toMatchObject([{ tags: null }]);

    const follows = fileOf({ title, labels: { type: 'text', optional: true, was: 'tags' } });
    expect((await live.put(follows)).status).toBe(200);
    expect(await live.records()).toMatchObject([{ labels: 'x' }, { labels: null }]);
    expect(live.backups).toEqual([]);
    expect((await live.put(withoutTags, ['drop:books.labels'])).status).toBe(200);
    expect(await live.records()).toEqual([
      { id: 1, title: 'a' },
      { id: 2, title: 'b' },
    ]);
    expect(live.backups.map((path) => existsSync(path))).toEqual(engine === 'sqlite' ? [true] : []);
  });

  test('records that do not fit are named with their step, and nothing is changed', async () => {
    const live = await start();
    for (const one of ['a', 'long', 'longer']) await live.ask('books', { title: one });
    const narrow = fileOf({ title: { type: 'text', max: 3, unique: true }, tags: { type: 'text', optional: true } });
    const refused = await live.put(narrow);
    expect(refused).toMatchObject(problem(409, 'plan-refused'));
    expect(refused.body.plan).toMatchObject({
      steps: [
        { text: 'books.title: narrow the bounds', failing: ['2', '3'] },
        { text: 'books.title: make it unique', failing: ['2', '3'] },
      ],
      violations: [expect.stringContaining('books.title of record 2'), expect.stringContaining('record 3')],
    });
    expect(live.onDisk()).toBe(before);
    expect((await live.ask('books', { title: 'longest' })).status).toBe(201);
  });

  test('every mistake of a text is told, and a text of another file is not replaced', async () => {
    const live = await start();
    const wrong = fileOf({ title: { type: 'txt' }, author: { type: 'reference', to: 'authors' } });
    const mistakes = [
      { path: 'collections.books.fields.title.type', message: expect.stringContaining('txt') },
      { path: 'collections.books.fields.author', message: expect.stringContaining('authors') },
    ];
    const planned = await live.plan(wrong);
    expect(planned.body).toMatchObject({ steps: [] });
    expect(planned.body.mistakes).toHaveLength(2);
    const refused = await live.put(wrong);
    expect(refused).toMatchObject(problem(400, 'invalid-body'));
    expect(refused.body.mistakes).toEqual(planned.body.mistakes);
    expect(JSON.stringify(planned.body.mistakes)).toContain(mistakes[1]?.path ?? '');
    expect((await live.put('{ "collections": ')).body.mistakes).toContainEqual({
      path: '',
      message: 'line 1: value expected',
    });
    const port = JSON.stringify({
      ...JSON.parse(before),
      settings: { port: 9000 },
      roles: { reader: { from: 'anybody' } },
    });
    const paths = ((await live.plan(port)).body.mistakes as Json[]).map(({ path }) => path);
    expect(paths).toEqual(['settings.port', 'roles']);

    const { tag } = await live.settings();
    expect(await live.put(withDraft, [], '"other"')).toMatchObject(problem(412, 'precondition-failed'));
    expect(await live.ask('settings', { text: withDraft }, 'PUT')).toMatchObject(problem(412, 'precondition-failed'));
    writeFileSync(live.path, `// by hand\n${before}`);
    expect(await live.put(withDraft, [], tag)).toMatchObject(problem(412, 'precondition-failed'));
    expect((await live.settings()).body).toMatchObject({ text: `// by hand\n${before}`, is_served: false });
    expect((await live.put(withDraft)).status).toBe(200);
    expect((await live.settings()).body).toMatchObject({ is_served: true });
    expect(await live.put(withDraft, [], tag)).toMatchObject(problem(412, 'precondition-failed'));
  });

  test('idempotency keys and cursors of what stays go on', async () => {
    const live = await start();
    const key = { 'Idempotency-Key': '"k1"' };
    const created = await live.ask('books', { title: 'a' }, 'POST', key);
    for (const one of ['b', 'c']) await live.ask('books', { title: one });
    const { next_cursor: cursor } = (await live.ask('books?limit=1')).body;
    expect((await live.put(withDraft)).status).toBe(200);
    const again = await live.ask('books', { title: 'a' }, 'POST', key);
    expect(again.status).toBe(201);
    expect(again.body).toMatchObject({ id: created.body.id });
    const next = await live.ask(`books?limit=1&cursor=${cursor}`);
    expect(next.body.data).toMatchObject([{ title: 'b', draft: true }]);
    expect((await live.put(withoutTags.replace('100', '90'), ['drop:books.tags', 'drop:books.draft'])).status).toBe(
      200,
    );
    expect(await live.ask(`books?limit=1&cursor=${cursor}`)).toMatchObject(problem(400, 'invalid-cursor'));
  });
});

const folder = temporaryFolder();

describe('a file that cannot be changed is shown, with the reason', () => {
  const refused = async (live: Live, reason: string) => {
    const { body } = await live.settings();
    expect(body).toMatchObject({ editable: false, reason });
    expect((await live.plan(withDraft)).status).toBe(200);
    const answer = await live.put(withDraft);
    expect(answer).toMatchObject(problem(403, 'forbidden'));
    expect(answer.body.detail).toBe(`The file cannot be changed here: ${reason}.`);
    await live.stop();
  };

  test('--console-schema off', async () => {
    await refused(await startLive({ text: before, server: { consoleSchema: false } }), '--console-schema is off');
  });

  test('--auth off beyond loopback', async () => {
    const live = await startLive({ text: before, server: { host: '0.0.0.0' } });
    await refused(live, '--auth is off, and other machines can reach this server at 0.0.0.0');
  });

  test('a read-only file', async () => {
    const live = await startLive({ text: before });
    chmodSync(live.path, 0o444);
    await refused(live, 'shelf.json is read-only for this server');
  });

  test('a link', async () => {
    writeFileSync(join(folder, 'real.json'), before);
    symlinkSync('real.json', join(folder, 'shelf.json'));
    const live = await startLive({ path: join(folder, 'shelf.json') });
    await refused(live, 'shelf.json is a symbolic link: change the file that it leads to');
  });
});

describe('a disk that refuses a file', () => {
  /** A name that the file system accepts, and not with what is added to it for a second file. */
  const longName = 'b'.repeat(228);

  async function refused(live: Live, entries: readonly Entry[], failed: string): Promise<void> {
    await live.ask('books', { title: 'a', tags: 'x' });
    const answer = await live.put(withoutTags, ['drop:books.tags']);
    expect(answer).toMatchObject(problem(503, 'storage-unavailable'));
    expect(answer.body.detail).toStartWith(`${failed}, so nothing was changed: `);
    expect(JSON.stringify(answer.body)).not.toContain(folder);
    const lines = entries.flatMap((entry) => (entry.event === 'settings' ? [`${entry.level} ${entry.message}`] : []));
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^error ${failed}, so nothing was changed. .*name too long`)),
    ]);
    expect(live.onDisk()).toBe(before);
    expect((await live.settings()).body).toMatchObject({ is_served: true });
    expect(await live.records()).toMatchObject([{ title: 'a', tags: 'x' }]);
    expect((await live.ask('books', { title: 'b', tags: 'y' })).status).toBe(201);
    expect(leftovers(live)).toEqual([]);
  }

  test('the backup before a loss: nothing is lost, and a change without a loss is made', async () => {
    const entries: Entry[] = [];
    const database = `sqlite:${join(folder, longName)}`;
    const live = await startLive({ text: before, database, logTo: (entry) => entries.push(entry) });
    await refused(live, entries, 'The backup before the loss of values failed');
    expect((await live.put(withDraft)).status).toBe(200);
    expect(readdirSync(folder).filter((name) => name.includes('.before-'))).toEqual([]);
    await live.stop();
  });

  test('the configuration file', async () => {
    const entries: Entry[] = [];
    mkdirSync(join(folder, 'long'));
    const path = join(folder, 'long', `${longName}${longName}`.slice(0, 240));
    const live = await startLive({ text: before, path, logTo: (entry) => entries.push(entry) });
    await refused(live, entries, 'The configuration file cannot be written');
    await live.stop();
  });
});

test('the new file has the mode of the old one', async () => {
  const live = await startLive({ text: before });
  chmodSync(live.path, 0o640);
  expect((await live.put(withDraft)).status).toBe(200);
  expect(statSync(live.path).mode & 0o777).toBe(0o640);
  await live.stop();
});

test('a server whose file is gone makes it anew', async () => {
  const live = await startLive({ text: before });
  rmSync(live.path);
  expect((await live.settings()).body).toMatchObject({ file: null, text: '{}\n', is_served: false });
  expect((await live.put(withDraft)).status).toBe(200);
  expect(live.onDisk()).toBe(withDraft);
  await live.stop();
});
