import { expect, test } from 'bun:test';
import { StreamTurns } from './stream-turns.ts';

const round = () => new Promise((resolve) => setImmediate(resolve));

/** The number of streams resumed after each round, until all are. */
async function rounds(times: readonly number[]): Promise<number[]> {
  const turns = new StreamTurns();
  const resumed: number[] = [];
  for (const [index, ms] of times.entries()) turns.take(ms, () => resumed.push(index));
  const after: number[] = [];
  while (resumed.length < times.length) {
    await round();
    after.push(resumed.length);
  }
  expect(resumed).toEqual(times.map((_, index) => index));
  return after;
}

test('few streams resume together, and many in order, some in each round', async () => {
  expect(await rounds([0.1, 0.1, 0.1])).toEqual([3]);
  expect(await rounds(Array<number>(100).fill(0.01))).toEqual([32, 64, 96, 100]);
});

test('slow streams are fewer in a round, and a very slow one resumes alone', async () => {
  expect(await rounds(Array<number>(10).fill(0.25))).toEqual([2, 4, 6, 8, 10]);
  expect(await rounds([20, 20, 0.1])).toEqual([1, 2, 3]);
});

test('a stream that comes back is queued after the waiting ones', async () => {
  const turns = new StreamTurns();
  const resumed: string[] = [];
  const again = (name: string, left: number) => {
    resumed.push(name);
    if (left > 0) turns.take(2, () => again(name, left - 1));
  };
  for (const name of ['a', 'b', 'c']) turns.take(2, () => again(name, 1));
  while (resumed.length < 6) await round();
  expect(resumed.join('')).toBe('abcabc');
});
