import { expect, test } from 'bun:test';
import { requestIds } from './request-ids.ts';

test('each id is another one, also of another run', () => {
  const count = 100_000;
  const [first, second] = [requestIds(), requestIds()];
  const ids = Array.from({ length: count }, () => [first(), second()]).flat();
  expect(new Set(ids).size).toBe(2 * count);
  for (const id of [ids[0], ids.at(-1)]) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-z]{3,}$/);
});
