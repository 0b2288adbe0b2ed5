import { afterAll, beforeEach, expect, test } from 'bun:test';
import { createClient } from './client.ts';
import { ShelfError } from './send/failure.ts';

/** Answers as a server does, without one: the result of an operation has its index as the version. */
const bodies: { operations: object[] }[] = [];
const server = Bun.serve({
  port: 0,
  fetch: async (request) => {
    const body = (await request.json()) as { operations: object[] };
    bodies.push(body);
    const results = body.operations.map((_, index) => ({ id: 9007199254740991, version: index }));
    return new Response(JSON.stringify({ results, first_change: 120, last_change: 9007199254740991 }));
  },
});
afterAll(() => server.stop(true));
beforeEach(() => {
  bodies.length = 0;
});

const shelf = createClient({ url: server.url.href });
type Books = { delete(id: number): object; create(record: object): object };
type Collect = (t: { readonly books: Books; readonly changes: object }) => unknown;
/** Without the types of the function. */
const transaction = shelf.transaction as unknown as (collect: Collect, options?: object) => Promise<unknown>;

const result = (version: number) => ({ id: 9007199254740991, version });

test('pending results are replaced in arrays and plain objects, and all else is kept', async () => {
  const date = new Date();
  const settled = await transaction(({ books, changes }) => {
    const one = books.delete(1);
    const shared = { two: books.delete(2) };
    const own = Object.create(null, { one: { value: one, enumerable: true } });
    return { list: [one, [shared], shared], changes, date, own, text: 'x', none: null, not: undefined };
  });
  expect(settled).toEqual({
    list: [result(0), [{ two: result(1) }], { two: result(1) }],
    changes: { firstChange: 120, lastChange: 9007199254740991 },
    date,
    own: { one: result(0) },
    text: 'x',
    none: null,
    not: undefined,
  });
  expect((settled as { date: Date }).date).toBe(date);
});

test('a returned value may refer to itself', async () => {
  type Node = { self?: Node; made: unknown };
  const settled = (await transaction(({ books }) => {
    const node: Node = { made: books.create({}) };
    node.self = node;
    return node;
  })) as Node;
  expect(settled.self).toBe(settled);
  expect(settled.made).toEqual(result(0));
});

test('the result of another transaction is kept as it is', async () => {
  let other: unknown;
  await transaction(({ books }) => {
    other = books.delete(1);
  });
  expect(await transaction(({ books }) => [books.delete(2), other])).toEqual([result(0), other]);
});

test('an async function is refused, and what it does later fails without notice', async () => {
  let late: unknown;
  const failure = await transaction(async ({ books }) => {
    books.delete(1);
    await undefined;
    try {
      books.delete(2);
    } catch (error) {
      late = error;
      throw error;
    }
  }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ShelfError);
  expect(failure).toMatchObject({
    code: 'invalid_argument',
    message:
      'The function of a transaction returned a promise: it only collects operations, so it must not be async. Read before the transaction.',
  });
  await Bun.sleep(1);
  expect(late).toMatchObject({ code: 'invalid_argument' });
  expect(bodies).toEqual([]);
});

test('an idempotency key that cannot be sent is refused before anything is sent', async () => {
  const call = transaction(({ books }) => books.delete(1), { idempotencyKey: 'with space' });
  expect(await call.catch((error: unknown) => error)).toMatchObject({ code: 'invalid_argument' });
  expect(bodies).toEqual([]);
});
