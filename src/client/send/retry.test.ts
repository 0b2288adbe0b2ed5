import { expect, spyOn, test } from 'bun:test';
import { retryAfterIn, waitBefore } from './retry.ts';

test('the wait doubles from 100 ms to 10 s, at random down to half of it, and is what the server asked for if that is longer', () => {
  const random = spyOn(Math, 'random');
  const waits = (attempts: readonly number[]) => attempts.map((attempt) => waitBefore(attempt, undefined));
  try {
    random.mockReturnValue(1);
    expect(waits([0, 1, 6, 7, 50])).toEqual([100, 200, 6400, 10_000, 10_000]);
    expect([waitBefore(0, 0), waitBefore(0, 3), waitBefore(7, 3)]).toEqual([100, 3000, 10_000]);
    random.mockReturnValue(0);
    expect(waits([0, 1, 7])).toEqual([50, 100, 5000]);
  } finally {
    random.mockRestore();
  }
});

test('Retry-After is in seconds, or a date', () => {
  const now = spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-01T00:00:00Z'));
  try {
    const headers = [null, '', 'soon', '0', '7', 'Thu, 01 Jan 2026 00:00:05 GMT', 'Wed, 31 Dec 2025 23:59:00 GMT'];
    expect(headers.map(retryAfterIn)).toEqual([undefined, undefined, undefined, 0, 7, 5, 0]);
  } finally {
    now.mockRestore();
  }
});
