import { expect, test } from 'bun:test';
import type { Figures, Sample } from '../../api/figures.ts';
import { failuresIn, inMinutes, lastMinute } from './last-hour.ts';

const now = Date.parse('2026-11-15T12:00:30.000Z');
const sample = (secondsAgo: number, more: Partial<Sample> = {}): Sample => ({
  at: new Date(now - secondsAgo * 1000).toISOString(),
  requests: 0,
  p50_ms: null,
  p99_ms: null,
  slowest: null,
  commits: 0,
  writes: 0,
  commit_ms: 0,
  errors: {},
  memory_bytes: 104_857_600,
  connections: 3,
  listeners: 0,
  writes_waiting: 0,
  ...more,
});
const figures = (...samples: Sample[]): Figures => ({ since: '', sample_seconds: 10, samples });

test('changes are summed by the minute, and those of an hour ago are left out', () => {
  const { times, changes } = inMinutes(
    figures(
      sample(3601, { writes: 9 }),
      sample(100, { writes: 4 }),
      sample(20, { writes: 2 }),
      sample(1, { writes: 1 }),
    ),
    now,
  );
  expect(times.length).toBe(60);
  expect(times.at(-1)).toBe(Date.parse('2026-11-15T12:00:00.000Z') / 1000);
  expect(changes.slice(-3)).toEqual([4, 0, 3]);
  expect(changes.slice(0, -3).every((one) => one === 0)).toBe(true);
});

test('the last minute', () => {
  const earlier = Array.from({ length: 6 }, () => sample(999, { requests: 1000, p99_ms: 50 }));
  const last = Array.from({ length: 6 }, (_, place) => sample(60 - place * 10, { requests: 3, p99_ms: place }));
  expect(lastMinute(figures(...earlier, ...last))).toEqual({
    requestsPerSecond: '0.3',
    p99Ms: '5 ms',
    memoryMiB: '100 MiB',
    connections: '3',
  });
  expect(lastMinute(figures()).p99Ms).toBe('\u2013');
});

test('failures by their number, in words', () => {
  const all = figures(
    sample(9, { errors: { not_found: 1, invalid_body: 1 } }),
    sample(5, { errors: { invalid_body: 4 } }),
  );
  expect(failuresIn(all)).toEqual(['5 requests had wrong values', '1 request asked for a record that is not there']);
});
