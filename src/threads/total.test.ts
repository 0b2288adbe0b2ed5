import { expect, test } from 'bun:test';
import { race } from '../../test/race.ts';
import { newTotal, Total } from './total.ts';

test('a limit is exact, and a refused addition changes nothing', () => {
  const total = new Total();
  expect(total.tryAdd(7, 10)).toBe(true);
  expect(total.tryAdd(4, 10)).toBe(false);
  expect(total.tryAdd(3, 10)).toBe(true);
  expect(total.add(-2)).toBe(8);
  expect(total.value).toBe(8);
});

test('a total exceeds 32 bits', () => {
  const total = new Total();
  for (let n = 0; n < 3; n++) total.add(2 ** 31);
  expect(total.value).toBe(3 * 2 ** 31);
});

test('no thread loses the addition of another one', async () => {
  const shared = newTotal();
  const steps = 100_000;
  const added = await race({ name: 'total', shared, steps });
  expect(new Total(shared).value).toBe(3 * steps + added.flat().reduce((sum, one) => sum + one, 0));
});
