/** Failures that may pass are repeated for a while, and others are not. */
import { expect, test } from 'bun:test';
import { failureOf, Unreachable } from '../cli/import-file/target/import-target.ts';
import { Failure } from '../domain/errors.ts';
import { persistently } from './retries.ts';

function trial(failures: readonly Error[], forMs = 60_000) {
  const errors = [...failures];
  const pauses: number[] = [];
  const waits: number[] = [];
  const controller = new AbortController();
  let time = 0;
  const result = persistently(
    async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return 'done';
    },
    {
      failureOf,
      forMs,
      signal: controller.signal,
      onWait: (_, tries) => waits.push(tries),
      now: () => time,
      pause: async (ms) => {
        pauses.push(ms);
        time += ms;
        if (pauses.length === 100) controller.abort();
      },
    },
  );
  return { result, pauses, waits };
}

test('an unreachable server, an overload and an unknown outcome are repeated, with longer and longer pauses', async () => {
  const errors = [new Unreachable('gone'), new Failure('outcome_unknown'), new Unreachable('gone')];
  const { result, pauses, waits } = trial(errors);
  expect(await result).toBe('done');
  expect(waits).toEqual([1, 2, 3]);
  for (const [index, least] of [200, 400, 800].entries()) {
    expect(pauses[index]).toBeGreaterThanOrEqual(least);
    expect(pauses[index]).toBeLessThanOrEqual(least * 1.25);
  }
});

test('Retry-After is heeded', async () => {
  const { result, pauses } = trial([new Failure('rate_limited', { retryAfter: 7 })]);
  expect(await result).toBe('done');
  expect(pauses[0]).toBeGreaterThanOrEqual(7000);
});

test('it gives up in time, with the last failure', async () => {
  const { result, pauses } = trial(
    Array.from({ length: 1000 }, (_, n) => new Unreachable(`attempt ${n}`)),
    10_000,
  );
  expect(await result.catch((error: Error) => error.message)).toBe(`attempt ${pauses.length}`);
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(10_000);
  expect(pauses.length).toBeGreaterThan(4);
});

test.each(['already_exists', 'invalid_body', 'forbidden', 'body_too_large'] as const)(
  '%s is not repeated',
  async (code) => {
    const { result, pauses } = trial([new Failure(code)]);
    expect(await result.catch((error: Failure) => error.code)).toBe(code);
    expect(pauses).toEqual([]);
  },
);

test('after a stop nothing is repeated', async () => {
  const { result, pauses } = trial(
    Array.from({ length: 1000 }, () => new Unreachable('gone')),
    Number.POSITIVE_INFINITY,
  );
  expect(await result.catch((error: Error) => error.name)).toBe('Unreachable');
  expect(pauses).toHaveLength(100);
});
