import { expect, test } from 'bun:test';
import { Turns } from './turns.ts';

const round = () => new Promise((resolve) => setImmediate(resolve));

/** How many went on after each round, until all have. */
async function rounds(sizes: readonly number[]): Promise<number[]> {
  const turns = new Turns();
  const gone: number[] = [];
  for (const [index, bytes] of sizes.entries()) turns.take(bytes, () => gone.push(index));
  const after: number[] = [];
  while (gone.length < sizes.length) {
    await round();
    after.push(gone.length);
  }
  expect(gone).toEqual(sizes.map((_, index) => index));
  return after;
}

test('few go on together, and many in their order, some in each round', async () => {
  expect(await rounds([100, 100, 100])).toEqual([3]);
  expect(await rounds(Array<number>(100).fill(10))).toEqual([32, 64, 96, 100]);
});

test('those that send much are fewer to a round, and one that sends very much goes on alone', async () => {
  expect(await rounds(Array<number>(10).fill(128 * 1024))).toEqual([4, 8, 10]);
  expect(await rounds([10_000_000, 10_000_000, 1])).toEqual([1, 2, 3]);
});

test('one that comes back goes behind those who wait', async () => {
  const turns = new Turns();
  const gone: string[] = [];
  const again = (name: string, left: number) => {
    gone.push(name);
    if (left > 0) turns.take(600_000, () => again(name, left - 1));
  };
  for (const name of ['a', 'b', 'c']) turns.take(600_000, () => again(name, 1));
  while (gone.length < 6) await round();
  expect(gone.join('')).toBe('abcabc');
});
