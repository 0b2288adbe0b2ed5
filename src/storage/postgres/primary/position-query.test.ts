import { expect, test } from 'bun:test';
import type { Seen } from './position.ts';
import { PositionQuery } from './position-query.ts';

const seen = (last: number): Seen => ({
  last,
  newest: last,
  at: '1',
  trimmed: 0,
  isStandby: false,
  times: new Map(),
});

test('callers that come while a query is in flight share the next one, which begins after it', async () => {
  const sent: { readonly wanted: number[]; readonly answer: PromiseWithResolvers<Seen> }[] = [];
  const query = new PositionQuery((wanted) => {
    const answer = Promise.withResolvers<Seen>();
    sent.push({ wanted: [...wanted], answer });
    return answer.promise;
  });
  const first = [query.ask(), query.ask(4)];
  await new Promise((resolve) => setImmediate(resolve));
  const second = [query.ask(5), query.ask(6), query.ask()];
  expect(sent.map(({ wanted }) => wanted)).toEqual([[4]]);
  sent[0]?.answer.resolve(seen(4));
  expect((await Promise.all(first)).map(({ last }) => last)).toEqual([4, 4]);
  expect(sent.map(({ wanted }) => wanted)).toEqual([[4], [5, 6]]);
  sent[1]?.answer.reject(new Error('down'));
  for (const one of second) await expect(one).rejects.toThrow('down');
  const third = query.ask();
  await new Promise((resolve) => setImmediate(resolve));
  sent[2]?.answer.resolve(seen(7));
  expect((await third).last).toBe(7);
  expect(query.latest?.last).toBe(7);
});
