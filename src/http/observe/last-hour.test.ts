import { expect, test } from 'bun:test';
import { LastHour, type SampleGauges } from './last-hour.ts';

const gauges: SampleGauges = { memory_bytes: 1, connections: 2, listeners: 3, writes_waiting: 4 };

test('a sample has what happened since the one before', () => {
  const hour = new LastHour('then');
  hour.request('/api/items', 'GET', 200, 2, 'a', '/api/items?limit=1');
  hour.request('/api/items', 'POST', 503, 80, 'b', '/api/items?dry_run=true');
  hour.request('/api/items', 'GET', 200, 1, 'c', '/api/items');
  hour.commit(7, 3);
  hour.commit(1, 5);
  hour.error('overloaded');
  hour.error('overloaded');
  hour.sample('1', gauges);
  hour.sample('2', gauges);
  const [first, second] = hour.samples;
  expect(first).toMatchObject({ at: '1', requests: 3, commits: 2, writes: 8, commit_ms: 5, errors: { overloaded: 2 } });
  expect(first).toMatchObject({
    slowest: { method: 'POST', status: 503, ms: 80, request_id: 'b', parameters: ['dry_run'] },
    ...gauges,
  });
  expect(first?.p50_ms).toBeCloseTo(2, 0);
  expect(first?.p99_ms).toBeGreaterThan(79);
  expect(second).toMatchObject({ at: '2', requests: 0, commits: 0, errors: {}, slowest: null, p50_ms: null });
});

test('no quantile is above the slowest request', () => {
  const hour = new LastHour('then');
  for (const sample of ['1', '2']) {
    const ms = sample === '1' ? 1810 : 7;
    for (let n = 0; n < 3; n++) hour.request('/api/items', 'GET', 200, ms, 'a', '/api/items');
    hour.sample(sample, gauges);
  }
  expect(hour.samples).toMatchObject([
    { p50_ms: 1810, p99_ms: 1810, slowest: { ms: 1810 } },
    { p50_ms: 7, p99_ms: 7, slowest: { ms: 7 } },
  ]);
});

test('the samples of more than an hour ago are dropped', () => {
  const hour = new LastHour('then');
  for (let n = 0; n < 1000; n++) hour.sample(String(n), gauges);
  expect(hour.samples.length).toBe(360);
  expect(hour.samples[0]?.at).toBe('640');
});

test('a sample has what other threads have counted', () => {
  const [main, one, other] = [new LastHour('then'), new LastHour(''), new LastHour('')];
  main.request('/api/items', 'GET', 200, 2, 'a', '/api/items');
  one.request('/api/items', 'GET', 200, 90, 'b', '/api/items?sort=id');
  other.request('/api/items', 'GET', 200, 3, 'c', '/api/items');
  for (let n = 0; n < 4; n++) other.request('/api/items', 'GET', 200, 40, 'd', '/api/items');
  main.commit(2, 1);
  other.commit(5, 9);
  main.error('not_found');
  one.error('not_found');
  one.error('internal');
  const waiting = { ...gauges, writes_waiting: 1 };
  for (const thread of [one, other]) main.merge(structuredClone(thread.takeTally(10)));
  main.sample('1', waiting);
  expect(main.samples[0]).toMatchObject({
    requests: 7,
    slowest: { request_id: 'b', ms: 90, parameters: ['sort'] },
    p99_ms: 90,
    commits: 2,
    writes: 7,
    commit_ms: 9,
    errors: { not_found: 2, internal: 1 },
    writes_waiting: 21,
  });
  expect((main.samples[0]?.p50_ms ?? 0) / 40).toBeCloseTo(1, 1);
  // A tally is taken once.
  for (const thread of [one, other]) main.merge(thread.takeTally(0));
  main.sample('2', waiting);
  expect(main.samples[1]).toMatchObject({ requests: 0, commits: 0, errors: {}, slowest: null, writes_waiting: 1 });
});
