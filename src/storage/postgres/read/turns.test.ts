import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/errors.ts';
import { Turns } from './turns.ts';

const later = () => performance.now() + 60_000;
const requester = (client: string | undefined, signal?: AbortSignal) => ({ client, signal });
/** The state of a promise, after what has happened so far. */
const isBegun = async (promise: Promise<unknown>) => {
  await new Promise((resolve) => setImmediate(resolve));
  return Bun.peek.status(promise) === 'fulfilled';
};

test('a few run at a time, fewer of one client, and clients take turns', async () => {
  const turns = new Turns(2, 1);
  const greedy = Array.from({ length: 3 }, () => turns.begin(requester('greedy'), later()));
  expect(await Promise.all(greedy.map(isBegun))).toEqual([true, false, false]);
  const other = turns.begin(requester('other'), later());
  expect(await isBegun(other)).toBe(true);
  const third = turns.begin(requester('third'), later());
  expect(await isBegun(third)).toBe(false);
  (await greedy[0])?.();
  // The client that has waited longest is next, also if another one has asked more often.
  expect(await Promise.all([...greedy.slice(1), third].map(isBegun))).toEqual([true, false, false]);
  (await other)();
  expect(await Promise.all([greedy[2], third].map((one) => isBegun(one ?? Promise.reject())))).toEqual([false, true]);
});

test('what stands for many clients may have all turns', async () => {
  const turns = new Turns(2, 1);
  const many = Array.from({ length: 3 }, () => turns.begin(requester(undefined), later()));
  expect(await Promise.all(many.map(isBegun))).toEqual([true, true, false]);
});

test('one that waits ends with its client and at its deadline, and takes no turn then', async () => {
  const turns = new Turns(1, 1);
  const end = await turns.begin(requester('a'), later());
  const aborter = new AbortController();
  const reason = new Failure('malformed_request');
  const left = turns.begin(requester('b', aborter.signal), later());
  const late = turns.begin(requester('c'), performance.now());
  const last = turns.begin(requester('d'), later());
  aborter.abort(reason);
  await expect(left).rejects.toBe(reason);
  await expect(late).rejects.toMatchObject({ code: 'timed_out' });
  await expect(turns.begin(requester('b', aborter.signal), later())).rejects.toBe(reason);
  expect(await isBegun(last)).toBe(false);
  end();
  expect(await isBegun(last)).toBe(true);
});
