import { expect, test } from 'bun:test';
import { Failure } from '../../domain/errors.ts';
import { newBuckets } from '../../threads/limits/buckets.ts';
import { Limiter } from './rate-limit.ts';

const start = 1_700_000_000_000;

/** How many of `tries` requests pass at one moment. */
function passing(limiter: Limiter, client: string, tries: number, now: number): number {
  let passed = 0;
  for (let n = 0; n < tries; n++) {
    try {
      limiter.take(client, now);
      passed++;
    } catch (error) {
      expect(error).toBeInstanceOf(Failure);
    }
  }
  return passed;
}

test('a burst of the whole rate passes, then requests pass as the bucket refills', () => {
  const limiter = new Limiter({ count: 10, seconds: 1 });
  expect(passing(limiter, 'a', 30, start)).toBe(10);
  expect(passing(limiter, 'a', 30, start + 99)).toBe(0);
  expect(passing(limiter, 'a', 30, start + 100)).toBe(1);
  expect(passing(limiter, 'a', 30, start + 400)).toBe(3);
  expect(passing(limiter, 'b', 30, start + 400)).toBe(10);
  expect(passing(limiter, 'a', 30, start + 60_000)).toBe(10);
});

test('the headers count down, and Retry-After says when to retry', () => {
  const limiter = new Limiter({ count: 3, seconds: 60 });
  const headers = [1, 2, 3].map(() => limiter.take('a', start).RateLimit);
  expect(headers).toEqual(['"default";r=2;t=20', '"default";r=1;t=40', '"default";r=0;t=60']);
  expect(limiter.take('b', start)['RateLimit-Policy']).toBe('"default";q=3;w=60');
  try {
    limiter.take('a', start + 5000);
    throw new Error('let through');
  } catch (error) {
    expect((error as Failure).code).toBe('rate_limited');
    expect((error as Failure).retryAfter).toBe(15);
    expect((error as Failure).headers).toMatchObject({ RateLimit: '"default";r=0;t=15' });
  }
});

test('the number of buckets is bounded, and a limited client stays limited', () => {
  const limiter = new Limiter({ count: 2, seconds: 3600 }, newBuckets(4));
  expect(passing(limiter, 'first', 9, start)).toBe(2);
  for (let n = 0; n < 2500; n++) passing(limiter, `client ${n}`, 1, start + n);
  expect(passing(limiter, 'first', 9, start + 2500)).toBe(0);
  expect(passing(limiter, 'new client', 9, start + 2500)).toBe(0);
  expect(() => limiter.look('new client', start + 2500)).toThrow(Failure);
  // All buckets are full again.
  expect(passing(limiter, 'new client', 9, start + 8_000_000)).toBe(2);
});

test('two threads with their own limiter count the same requests', () => {
  const shared = newBuckets();
  const [one, other] = [new Limiter({ count: 3, seconds: 60 }, shared), new Limiter({ count: 3, seconds: 60 }, shared)];
  expect(one.take('a', start).RateLimit).toBe('"default";r=2;t=20');
  expect(other.take('a', start).RateLimit).toBe('"default";r=1;t=40');
  expect(one.look('a', start).RateLimit).toBe('"default";r=1;t=40');
  expect(passing(one, 'a', 9, start)).toBe(1);
  expect(passing(other, 'a', 9, start)).toBe(0);
});
