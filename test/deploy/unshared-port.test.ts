/** A system that cannot share an open port between threads. */
import { afterAll, expect, mock, test } from 'bun:test';
import { startServer } from '../support/servers/server.ts';

const [port, count] = ['../../src/wire/port/share-port.ts', '../../src/cli/serve/thread-count.ts'];
const originals = [{ ...(await import(port)) }, { ...(await import(count)) }];
mock.module(port, () => ({ sharePort: () => false }));
// More than one also for auto, whatever this machine has.
mock.module(count, () => ({ threadCount: () => ({ count: 2 }) }));
afterAll(() => {
  [port, count].forEach((file, at) => {
    mock.module(file, () => originals[at]);
  });
});

test('several threads that were asked for cannot start', async () => {
  const failure = await startServer({ server: { threads: 2 } }).catch((error: unknown) => error);
  expect(String(failure)).toContain('This system cannot share an open port between threads: set --threads 1.');
});

test('with auto, one thread serves', async () => {
  const server = await startServer({ server: { threads: 'auto' } });
  const answers = await Promise.all(Array.from({ length: 32 }, () => fetch(`${server.url}/api/items/1`)));
  expect(new Set(answers.map(({ headers }) => headers.get('X-Request-Id')?.slice(0, 13))).size).toBe(1);
  for (const answer of answers) expect(answer.status).toBe(200);
  await server.stop();
});
