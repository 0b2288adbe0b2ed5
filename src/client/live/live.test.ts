/** A list that stays current, over a feed whose pieces arrive one at a time. */
import { afterAll, expect, test } from 'bun:test';
import { createClient } from '../client.ts';

const declaration = { singular: 'book', fields: { title: { type: 'text' } } };
const book = (id: number, title: string, version = 1) => ({ id, title, version, created_at: '', updated_at: '' });

const feeds: ReadableStreamDefaultController[] = [];
const asked: string[] = [];
let pulled: object = {};
const server = Bun.serve({
  port: 0,
  idleTimeout: 0,
  fetch(request) {
    const { pathname, search } = new URL(request.url);
    if (pathname === '/api/v2') return Response.json({ collections: [{ name: 'books', declaration }] });
    asked.push(`${pathname}${search}`);
    if (pathname === '/api/v2/events')
      return new Response(
        new ReadableStream({
          start(stream) {
            feeds.push(stream);
            stream.enqueue('id: 10\n\n');
          },
        }),
      );
    if (pathname === '/api/v2/changes') return Response.json(pulled);
    return Response.json({ data: [book(1, 'a'), book(2, 'b')], next_cursor: null });
  },
});
afterAll(() => server.stop(true));

/** A change as an event; `members` are of a transaction or a match. */
const event = (seq: number, record: object, members: object = {}) =>
  `id: ${seq}\nevent: book.updated\ndata: ${JSON.stringify({ seq, type: 'book.updated', match: 'stayed', ...members, record })}\n\n`;

function start() {
  asked.length = 0;
  feeds.length = 0;
  pulled = { data: [], last: 10 };
  const lists = createClient({ url: server.url.href })
    .books?.live({ sort: ['title'] })
    [Symbol.asyncIterator]();
  if (lists === undefined) throw new Error('there is a collection');
  const titles = async () => (await lists.next()).value?.map(({ title }) => title).join();
  return { lists, titles, send: (text: string) => feeds.at(-1)?.enqueue(text) };
}

/** Resolves when all that was sent is read. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};

test('what it asks for', async () => {
  const { lists, titles } = start();
  expect(await titles()).toBe('a,b');
  expect(asked).toEqual([
    '/api/v2/events?collection=books&where=%7B%7D',
    '/api/v2/books?sort=title&limit=1000',
    '/api/v2/changes?collection=books&where=%7B%7D&after=10&limit=1000',
  ]);
  await lists.return(undefined);
});

test('a transaction whose changes arrive one by one is shown when it is whole', async () => {
  const { lists, titles, send } = start();
  await titles();
  let shown: string | undefined;
  const showing = titles().then((one) => {
    shown = one;
  });
  const transaction = { first: 11, size: 4 };
  send(event(11, book(1, 'x', 2), { transaction }));
  await settled();
  send(event(13, book(2, 'y', 2), { transaction }));
  await settled();
  expect(shown).toBeUndefined();
  // The last change of the transaction does not match.
  send(': still here\nid: 14\n\n');
  await showing;
  expect(shown).toBe('x,y');
  send(event(15, book(1, 'c', 3), { transaction: { first: 15, size: 2 } }));
  send(event(16, book(2, 'c', 3), { transaction: { first: 15, size: 2 }, match: 'left' }));
  expect(await titles()).toBe('c');
  await lists.return(undefined);
});

test('changes that arrive together are one step', async () => {
  const { lists, titles, send } = start();
  await titles();
  send(
    event(11, book(3, 'c'), { match: 'entered' }) +
      event(12, book(4, 'd'), { match: 'entered' }) +
      event(13, book(1, 'z', 2)),
  );
  expect(await titles()).toBe('b,c,d,z');
  await lists.return(undefined);
});

test('changes that the list has from the time before it was read are not applied again', async () => {
  const { lists, titles, send } = start();
  pulled = { data: [JSON.parse(event(12, book(3, 'c'), { match: 'entered' }).split('data: ')[1] ?? '')], last: 14 };
  expect(await titles()).toBe('a,b,c');
  send(event(12, book(3, 'c'), { match: 'entered' }));
  send(event(14, book(2, 'b', 2), { match: 'left' }));
  send(event(15, book(4, 'd'), { match: 'entered' }));
  expect(await titles()).toBe('a,b,c,d');
  await lists.return(undefined);
});
