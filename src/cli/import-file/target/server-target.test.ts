/** An import through a server that answers in other ways. */
import { afterAll, expect, test } from 'bun:test';
import { items } from '../../../collections/items.ts';
import { StartError } from '../../../domain/errors.ts';
import { Unreachable } from './import-target.ts';
import { openServer } from './server-target.ts';

const redirects = [301, 302, 303, 307, 308];
const sent: string[] = [];
const elsewhere = Bun.serve({
  port: 0,
  fetch(request) {
    sent.push(`${request.method} ${request.headers.get('authorization')}`);
    return Response.json({ collections: [{ name: 'items', declaration: items.declaration }] });
  },
});
let status = 200;
/** Answered instead of the index. */
let index: (() => Response) | undefined;
/** The answer to a bulk. */
let bulkAnswer: (() => Response) | undefined;
const server = Bun.serve({
  port: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (index !== undefined) return index();
    if (bulkAnswer !== undefined && pathname.endsWith('/bulk')) return bulkAnswer();
    if (status === 200 && pathname === '/api/v2')
      return Response.json({ collections: [{ name: 'items', declaration: items.declaration }] });
    return new Response(null, { status, headers: { Location: `${elsewhere.url}${pathname.slice(1)}` } });
  },
});
afterAll(() => Promise.all([server.stop(true), elsewhere.stop(true)]));

test('neither the key nor the records follow a redirect', async () => {
  const url = String(server.url);
  status = 200;
  const target = await openServer(url, 'items', 'secret');
  for (const one of redirects) {
    status = one;
    await expect(openServer(url, 'items', 'secret')).rejects.toThrow(`answered ${one}): check --url.`);
    for (const isLarge of [false, true]) {
      const bulk = await target.bulk(isLarge);
      await bulk.add(['{"name":"x","price":1}']);
      const batches = [{ key: 'a'.repeat(64), records: 1 }];
      await expect(bulk.commit(batches, false)).rejects.toThrow(Unreachable);
      await bulk.close();
    }
  }
  expect(sent).toEqual([]);
});

const added = { created: 1, first_id: 7, last_id: 7 };
/** The answer to a bulk of one batch, and to a check. */
async function bulkAnswered(answer: () => Response) {
  const target = await openServer(String(server.url), 'items', undefined);
  bulkAnswer = answer;
  const results: unknown[] = [];
  for (const isLarge of [false, true]) {
    const bulk = await target.bulk(isLarge);
    await bulk.add(['{"name":"x","price":1}']);
    const sending = [bulk.commit([{ key: 'a'.repeat(64), records: 1 }], false), bulk.check()];
    results.push(
      ...(await Promise.allSettled(sending)).map((one) => (one.status === 'fulfilled' ? one.value : one.reason)),
    );
    await bulk.close();
  }
  bulkAnswer = undefined;
  return results;
}

test.each<[string, unknown]>([
  ['other JSON', { hello: 'world' }],
  ['null', null],
  ['no JSON', undefined],
  ['a list', []],
  ['no list of batches', { batches: { map: 1 }, valid: '1' }],
  ['fewer batches', { batches: [], valid: -1 }],
  ['more batches', { batches: [added, added], valid: 1.5 }],
  ['a batch that is none', { batches: [null], valid: null }],
  ['no number of records', { batches: [{ ...added, created: '1' }], valid: [1] }],
  ['less than no records', { batches: [{ ...added, created: -1 }], valid: {} }],
  ['no first id', { batches: [{ ...added, first_id: null }] }],
  ['no last id', { batches: [{ ...added, last_id: 0.5 }] }],
  ['an earlier batch that is none', { batches: [{ ...added, earlier: true }] }],
  ['an earlier batch without a time', { batches: [{ ...added, earlier: { existing: 1 } }] }],
  ['an earlier batch with another count', { batches: [{ ...added, earlier: { at: 'then', existing: '1' } }] }],
])('%s is refused as the answer to a bulk', async (_, body) => {
  status = 200;
  const message = `${String(server.url).slice(0, -1)} answered 201 with something else than the result of a bulk: check --url`;
  const results = await bulkAnswered(() => new Response(JSON.stringify(body) ?? '<h1>Hello</h1>', { status: 201 }));
  expect(results).toEqual(Array(4).fill(new Unreachable(message)));
});

test.each<[string, unknown, unknown]>([
  ['was added', {}, {}],
  [
    'was in already',
    { earlier: { at: 'then\u001b[2J', existing: 0 } },
    { earlier: { at: 'then\\u001b[2J', existing: 0 } },
  ],
  ['was in already, and is not counted', { earlier: { at: 'then' } }, { earlier: { at: 'then' } }],
])('the answer that a batch %s is taken, for a terminal', async (_, more, expected) => {
  status = 200;
  const results = await bulkAnswered(() => Response.json({ batches: [{ ...added, ...(more as object) }], valid: 3 }));
  const batches = [{ created: 1, first: 7, last: 7, ...(expected as object) }];
  expect(results).toEqual([batches, { created: 3 }, batches, { created: 3 }]);
});

test('the answers to a batch with a key, and to its check', async () => {
  status = 200;
  const updated = { created: 0, updated: 1, first_id: null, last_id: null };
  const batches = [{ created: 0, updated: 1, first: 0, last: 0 }];
  const results = await bulkAnswered(() => Response.json({ batches: [updated], valid: 3, created: 1, updated: 2 }));
  expect(results).toEqual([batches, { created: 1, updated: 2 }, batches, { created: 1, updated: 2 }]);
});

const text = { type: 'text' };
const listing = (name: string, declaration: unknown) => () =>
  Response.json({
    collections: [
      { name: 'items', declaration: items.declaration },
      { name, declaration },
    ],
  });
const long = 'x'.repeat(5000);

test.each<[string, () => Response, string]>([
  [
    'a field with another name',
    listing('notes', { singular: 'note', fields: { 'a"; --\u001b[2J\n': text } }),
    'has a declaration that no Shelf has (notes.fields.a"; --\\u001b[2J\\u000a: must have only lower-case letters',
  ],
  [
    'a field with a long name',
    listing('notes', { singular: 'note', fields: { [long]: text } }),
    `has a declaration that no Shelf has (notes.fields.${'x'.repeat(60)}...: must have at most 50 characters`,
  ],
  [
    'a field of no type',
    listing('notes', { singular: 'note', fields: { a: { type: ['text'] } } }),
    'has a declaration that no Shelf has (notes.fields.a.type: there is no type a list',
  ],
  ['no fields', listing('notes', { singular: 'note' }), '(notes.fields: must be an object'],
  [
    'another collection with another name',
    listing('no\u001b[2Jtes', { singular: 'note', fields: { a: text } }),
    'has a declaration that no Shelf has (no\\u001b[2Jtes: must have only lower-case letters',
  ],
  [
    'a type of a newer Shelf',
    listing('notes', { singular: 'note', fields: { a: { type: 'map' } } }),
    '(there is no field type map in this version of Shelf): update it.',
  ],
  ['no declaration', listing('notes', null), '(it is not a Shelf server): check --url.'],
  ['no list', () => Response.json({ collections: {} }), '(it is not a Shelf server): check --url.'],
  ['no JSON', () => new Response('<h1>Hello</h1>'), '(it is not a Shelf server): check --url.'],
  [
    'a failure for a terminal',
    () => Response.json({ type: '/problems/not-ready', detail: 'Not\nready\u001b[2J' }, { status: 503 }),
    '(Not\\u000aready\\u001b[2J): check --url.',
  ],
])('%s is refused in one line', async (_, answer, expected) => {
  index = answer;
  try {
    await openServer(String(server.url), 'notes', undefined);
    throw new Error('it was not refused');
  } catch (error) {
    const { message } = error as Error;
    expect(message).toContain(expected);
    expect(message).not.toContain('\n');
    expect(message.length).toBeLessThan(700);
    expect(error).toBeInstanceOf(StartError);
  } finally {
    index = undefined;
  }
});
