import { expect, test } from 'bun:test';
import { Attempt } from './attempt.ts';

const abortOf = ({ signal }: Attempt) =>
  new Promise<number>((resolve) => signal.addEventListener('abort', () => resolve(performance.now())));

/** An attempt whose first request ended well. */
function used(ms: number): Attempt {
  const attempt = new Attempt();
  attempt.begin(ms, undefined);
  attempt.end();
  return attempt;
}

test.each([20, 600_000])('after a request with %i ms, the next one has its own time-out', async (before) => {
  const attempt = used(before);
  const began = performance.now();
  attempt.begin(60, undefined);
  const at = await abortOf(attempt);
  expect(at - began).toBeGreaterThanOrEqual(60);
  const { code, message } = attempt.failure(new Error('aborted'));
  expect([code, message]).toEqual(['timed_out', 'There was no answer within 60 ms.']);
});

test('an attempt that is held, or has ended, takes no time', async () => {
  const held = used(10);
  held.begin(10, undefined);
  held.hold();
  const ended = used(10);
  const last = new Attempt();
  last.begin(30, undefined);
  await abortOf(last);
  expect([held.signal.aborted, ended.signal.aborted]).toEqual([false, false]);
  held.restart(5);
  await abortOf(held);
});

test.each(['another signal', 'no signal'])(
  'the signal of a request that has ended does not end one with %s',
  (next) => {
    const attempt = new Attempt();
    const [first, second] = [new AbortController(), new AbortController()];
    attempt.begin(1000, first.signal);
    attempt.end();
    attempt.begin(1000, next === 'no signal' ? undefined : second.signal);
    first.abort();
    expect(attempt.signal.aborted).toBe(false);
    expect(attempt.failure(new Error('reset')).code).toBe('connection_lost');
    if (next === 'no signal') return;
    second.abort();
    expect(attempt.signal.aborted).toBe(true);
    expect(attempt.failure(new Error('aborted')).code).toBe('aborted');
  },
);

test('an attempt serves some requests, and none after it was aborted', () => {
  const attempt = new Attempt();
  let uses = 0;
  for (; attempt.canBeUsedAgain; uses++) {
    attempt.begin(1000, undefined);
    attempt.end();
  }
  // Node warns of 100 listeners, or of more.
  expect([uses > 10, uses < 100]).toEqual([true, true]);
  const aborted = used(1000);
  aborted.abort();
  expect(aborted.canBeUsedAgain).toBe(false);
});
