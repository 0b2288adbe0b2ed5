import { expect, test } from 'bun:test';
import { lazyPromise } from './lazy.ts';

test('a promise is made once for all calls, and again after it was rejected', async () => {
  let made = 0;
  const value = lazyPromise(async () => {
    if (++made === 1) throw new Error('not now');
    return made;
  });
  const failed = [value(), value()];
  for (const one of failed) await expect(one).rejects.toThrow('not now');
  expect(await Promise.all([value(), value(), value()])).toEqual([2, 2, 2]);
});
