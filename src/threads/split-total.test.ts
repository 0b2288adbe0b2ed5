import { expect, test } from 'bun:test';
import { race } from '../../test/race.ts';
import { newSplitTotal, SplitTotal } from './split-total.ts';

test('a total is the sum of its parts', () => {
  const shared = newSplitTotal();
  const [one, other] = [new SplitTotal(shared), new SplitTotal(shared)];
  one.add(5);
  other.add(2 ** 40);
  one.add(-2);
  expect(one.value).toBe(3 + 2 ** 40);
  expect(other.value).toBe(one.value);
});

test('there are no more parts than the memory has', () => {
  const shared = newSplitTotal();
  for (let n = 0; n < 512; n++) new SplitTotal(shared).add(1);
  expect(() => new SplitTotal(shared)).toThrow('at most 512');
});

test('no thread loses the addition of another one', async () => {
  const shared = newSplitTotal();
  const steps = 1_000_000;
  await race({ name: 'splitTotal', shared, steps });
  expect(new SplitTotal(shared).value).toBe(3 * (steps / 2) * (2 ** 20 - 2 ** 19));
});
