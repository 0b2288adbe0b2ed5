/** An error in the middle of a long answer: its head is sent, so the answer is cut, and only the log has the reason. */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import type { Bytes } from '../../src/domain/bytes.ts';
import { Failure } from '../../src/domain/errors.ts';
import type { Entry } from '../../src/http/observe/log-entry.ts';
import { oneThread, startServer, type TestServer } from '../support/servers/server.ts';

const log: Entry[] = [];
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ server: oneThread, logTo: (entry) => log.push(entry) });
  const body = '{"name":"one of many","price":1}\n'.repeat(1500);
  const headers = { 'Content-Type': 'application/x-ndjson' };
  expect((await fetch(`${server.url}/api/v2/items`, { method: 'POST', headers, body })).status).toBe(201);
});
afterAll(() => server.stop());
afterEach(() => {
  log.length = 0;
});

const errors = () => log.filter(({ event }) => event === 'error');

/** Reads until the connection is cut. */
async function cut(path: string, id: string, headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(server.url + path, { headers: { ...headers, 'X-Request-Id': id } });
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow();
}

describe('an export', () => {
  /** The second part of an export fails. */
  async function failing(error: Error, read: () => Promise<void>): Promise<void> {
    const { reads } = server.store;
    const { stream } = reads;
    const streams = spyOn(reads, 'stream').mockImplementation(async function* (...given) {
      const parts = stream.apply(reads, given);
      const { value } = await parts.next();
      await parts.return();
      if (value !== undefined) yield value;
      throw error;
    });
    await read().finally(() => streams.mockRestore());
  }

  test.each(['identity', 'gzip', 'zstd'])('is logged with the id of its request, in %s', async (encoding) => {
    const error = new Error('the disk failed');
    const headers = { Accept: 'text/csv', 'Accept-Encoding': encoding };
    await failing(error, () => cut('/api/v2/items', `export-${encoding}`, headers));
    expect(errors()).toEqual([{ level: 'error', event: 'error', request_id: `export-${encoding}`, error }]);
  });

  test.each([
    ['has timed out', new Failure('timed_out'), 1],
    ['was given up by its client', new Failure('malformed_request'), 0],
    ['has no room', new Failure('overloaded'), 0],
  ])('that %s is logged if it is a fault of the server', async (_, failure, lines) => {
    await failing(failure, () => cut('/api/v2/items', 'failed', { Accept: 'application/x-ndjson' }));
    expect(errors()).toHaveLength(lines);
  });
});

test('a list is logged with the id of its request, also if it cannot be closed', async () => {
  const [broken, open] = [new Error('the disk failed'), new Error('the file is still open')];
  async function* parts(): AsyncGenerator<Bytes, void> {
    yield Buffer.from('[');
    throw broken;
  }
  const source = Object.assign(parts(), { return: () => Promise.reject(open) });
  const listing = { tag: undefined, size: undefined, parts: () => source };
  using _ = spyOn(server.store.reads, 'list').mockImplementation(() => listing);
  await cut('/api/items', 'list-1');
  expect(errors()).toEqual(
    [broken, open].map((error) => ({ level: 'error', event: 'error', request_id: 'list-1', error })),
  );
});
