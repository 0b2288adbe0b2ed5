import { describe, expect, test } from 'bun:test';
import { StartError } from '../../../domain/errors.ts';
import { retryUntilReady } from './wait-for-database.ts';

const transient = { errno: '57P03', message: 'the database system is starting up' };
const permanent = { errno: '28P01', message: 'password authentication failed' };

/** Starts against a database that fails in turn with `errors`, and then answers. */
async function start(errors: readonly object[], { waitMs = 60_000, isClosed = false } = {}) {
  const lines: string[] = [];
  const left = errors.values();
  let attempts = 0;
  const result = await retryUntilReady(
    { waitMs, timeoutMs: 1, onWaiting: (line) => lines.push(line) },
    () => isClosed,
    async () => {
      attempts++;
      for (const error of left) throw error;
      return 'ready';
    },
  ).catch((error: Error) => error);
  return { result, attempts, lines };
}

test('an attempt that a later one may repeat is repeated, with one line for the operator', async () => {
  expect(await start([transient, transient])).toEqual({
    result: 'ready',
    attempts: 3,
    lines: [`The database does not answer (${transient.message}): waiting for it.`],
  });
});

describe('one attempt is made, and no line is printed', () => {
  const line = ({ message }: { readonly message: string }) =>
    `Cannot use the database (${message}): check --database, and that its server is running.`;
  test.each([
    ['after an error that stays', permanent, {}, line(permanent)],
    ['after the time to wait', transient, { waitMs: 0 }, line(transient)],
    ['if the store is closed', transient, { isClosed: true }, line(transient)],
    ['after an error that is explained', new StartError('Explained.'), {}, 'Explained.'],
  ])('%s', async (_, error, options, message) => {
    const { result, attempts, lines } = await start([error], options);
    expect(result).toBeInstanceOf(StartError);
    expect(result).toHaveProperty('message', message);
    expect({ attempts, lines }).toEqual({ attempts: 1, lines: [] });
  });
});
