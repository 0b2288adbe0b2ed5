import { expect, test } from 'bun:test';
import { Turns } from './turns.ts';

const round = () => new Promise((resolve) => setImmediate(resolve));

/** How many went on after each round, until all have. */
async function rounds(times: readonly number[]): Promise<number[]> {
  const turns = new Turns();
  const gone: number[] = [];
  for (const [index, ms] of times.entries()) turns.take(ms, () => gone.push(index));
  const after: number[] = [];
  while (gone.length < times.length) {
    await round();
    after.push(gone.length);
  }
  expect(gone).toEqual(times.map((_, index) => index));
  return after;
}

test('few go on together, and many in their order, some in each round', async () => {
  expect(await rounds([0.1, 0.1, 0.1])).toEqual([3]);
  expect(await rounds(Array<number>(100).fill(0.01))).toEqual([32, 64, 96, 100]);
});

test('those that take long are fewer to a round, and one that takes very long goes on alone', async () => {
  expect(await rounds(Array<number>(10).fill(0.25))).toEqual([4, 8, 10]);
  expect(await rounds([20, 20, 0.1])).toEqual([1, 2, 3]);
});

test('one that comes back goes behind those who wait', async () => {
  const turns = new Turns();
  const gone: string[] = [];
  const again = (name: string, left: number) => {
    gone.push(name);
    if (left > 0) turns.take(2, () => again(name, left - 1));
  };
  for (const name of ['a', 'b', 'c']) turns.take(2, () => again(name, 1));
  while (gone.length < 6) await round();
  expect(gone.join('')).toBe('abcabc');
});
