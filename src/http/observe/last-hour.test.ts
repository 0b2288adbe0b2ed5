import { expect, test } from 'bun:test';
import { LastHour, type Levels } from './last-hour.ts';

const levels: Levels = { memoryBytes: 1, connections: 2, listeners: 3, writesWaiting: 4 };

test('a sample has what happened since the one before', () => {
  const hour = new LastHour('then');
  hour.request('/api/items', 'GET', 200, 2, 'a', '/api/items?limit=1');
  hour.request('/api/items', 'POST', 503, 80, 'b', '/api/items?dry_run=true');
  hour.request('/api/items', 'GET', 200, 1, 'c', '/api/items');
  hour.commit(7, 3);
  hour.commit(1, 5);
  hour.error('overloaded');
  hour.error('overloaded');
  hour.sample('1', levels);
  hour.sample('2', levels);
  const [first, second] = hour.samples;
  expect(first).toMatchObject({ at: '1', requests: 3, commits: 2, writes: 8, commitMs: 5, errors: { overloaded: 2 } });
  expect(first).toMatchObject({
    slowest: { method: 'POST', status: 503, ms: 80, requestId: 'b', parameters: ['dry_run'] },
    ...levels,
  });
  expect(first?.p50Ms).toBeCloseTo(2, 0);
  expect(first?.p99Ms).toBeGreaterThan(79);
  expect(second).toMatchObject({ at: '2', requests: 0, commits: 0, errors: {}, slowest: undefined, p50Ms: undefined });
});

test('no quantile is above the slowest request', () => {
  const hour = new LastHour('then');
  for (const sample of ['1', '2']) {
    const ms = sample === '1' ? 1810 : 7;
    for (let n = 0; n < 3; n++) hour.request('/api/items', 'GET', 200, ms, 'a', '/api/items');
    hour.sample(sample, levels);
  }
  expect(hour.samples).toMatchObject([
    { p50Ms: 1810, p99Ms: 1810, slowest: { ms: 1810 } },
    { p50Ms: 7, p99Ms: 7, slowest: { ms: 7 } },
  ]);
});

test('the samples of more than an hour ago are dropped', () => {
  const hour = new LastHour('then');
  for (let n = 0; n < 1000; n++) hour.sample(String(n), levels);
  expect(hour.samples.length).toBe(360);
  expect(hour.samples[0]?.at).toBe('640');
});
