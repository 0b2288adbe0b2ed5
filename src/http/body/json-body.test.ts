/** Large bodies, which are parsed on a thread; what a client sees of them is tested with the routes. */
import { expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { newLongWork } from '../../threads/long-work.ts';
import { Bodies } from './json-body.ts';

test('a bulk of large bodies leaves no listener for each of them on the signal of its request', async () => {
  const bodies = new Bodies(2 ** 20, newLongWork(1), true);
  const { signal } = new AbortController();
  const large = () => Buffer.from(JSON.stringify({ name: 'x'.repeat(64 * 1024) }));
  const members = { keys: ['name'], texts: [] };
  const parsed = [1, 2, 3].map(() => bodies.parse([large()], members, { requester: { client: 'c', signal } }));
  expect(getEventListeners(signal, 'abort').length).toBe(2);
  await Promise.all(parsed);
  expect(getEventListeners(signal, 'abort').length).toBe(0);
  await bodies.close();
});
