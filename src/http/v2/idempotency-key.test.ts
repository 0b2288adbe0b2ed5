import { expect, test } from 'bun:test';
import type { Once } from '../../domain/store.ts';
import { writeOnce } from './idempotency-key.ts';

test('a key that was used with another body costs one write, also where an earlier version may have stored the key', async () => {
  const writes: (Once | undefined)[] = [];
  const refused = writeOnce(
    'k',
    1000,
    () => ({ digest: 'd', former: 'f' }),
    async (once) => {
      writes.push(once);
      return 'mismatch' as const;
    },
  );
  await expect(refused).rejects.toThrow('Idempotency-Key');
  expect(writes).toEqual([{ key: 'k', digest: 'd', former: 'f', keptMs: 1000 }]);
});
