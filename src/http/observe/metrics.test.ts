import { expect, test } from 'bun:test';
import { Metrics } from './metrics.ts';

const lag = (seconds: number) => ({
  name: 'lag',
  help: 'Lag.',
  over: 'longest' as const,
  read: () => [{ value: seconds }],
});
const waiting = (count: number) => ({
  name: 'waiting',
  help: 'Waiting.',
  over: 'sum' as const,
  read: () => [{ value: count }],
});
const records = { name: 'records', help: 'Records.', read: () => [{ labels: { collection: 'items' }, value: 7 }] };
const lost = {
  name: 'lost',
  help: 'Lost.',
  over: 'sum' as const,
  read: () => Promise.reject(new Error('the database has gone')),
};

/** The figures of three threads, in the text that one of them answers. */
async function scraped() {
  const others = [new Metrics(), new Metrics()];
  const one = new Metrics(() => Promise.all(others.map((other) => other.ofThread())));
  const [first, second] = others;
  one.request('/api/items', 'GET', 200, 0.4);
  first?.request('/api/items', 'GET', 200, 0.7);
  first?.request('/api/items', 'BREW', 405, 3);
  second?.request('/api/users', 'GET', 404, 20_000);
  one.commit(3, 2, true);
  second?.commit(5, 4, false);
  one.error('overloaded');
  first?.error('overloaded');
  first?.error('internal');
  one.add(lag(0.2), waiting(1), records, lost);
  first?.add(lag(0.9), waiting(20), records, lost, { ...records, name: 'alone', onOneThread: true });
  second?.add(lag(0.1), waiting(300), records, lost);
  return { one, lines: async () => (await one.text()).split('\n').filter((line) => !line.startsWith('#')) };
}

test('a scrape of one thread covers all of them', async () => {
  const { lines } = await scraped();
  const text = await lines();
  const has = (line: string) => expect(text.filter((one) => one === line)).toHaveLength(1);
  has('shelf_http_requests_total{route="/api/items",method="GET",status="200"} 2');
  has('shelf_http_requests_total{route="/api/items",method="other",status="405"} 1');
  has('shelf_http_requests_total{route="/api/users",method="GET",status="404"} 1');
  has('shelf_http_request_duration_seconds_bucket{route="/api/items",le="0.0005"} 1');
  has('shelf_http_request_duration_seconds_bucket{route="/api/items",le="0.001"} 2');
  has('shelf_http_request_duration_seconds_count{route="/api/items"} 3');
  has('shelf_http_request_duration_seconds_bucket{route="/api/users",le="10"} 0');
  has('shelf_http_request_duration_seconds_sum{route="/api/users"} 20');
  has('shelf_commit_writes_sum 8');
  has('shelf_commit_writes_count 2');
  has('shelf_commit_duration_seconds_bucket{le="0.0025"} 1');
  has('shelf_commit_failures_total 1');
  has('shelf_errors_total{code="overloaded"} 2');
  has('shelf_errors_total{code="internal"} 1');
});

test('of a metric that threads share there is one value, and others are combined', async () => {
  const { lines } = await scraped();
  const text = await lines();
  expect(text.filter((line) => /^(lag|waiting|records|lost|alone)/.test(line))).toEqual([
    'lag 0.9',
    'waiting 321',
    'records{collection="items"} 7',
    'alone{collection="items"} 7',
  ]);
});

test('a scrape changes no count', async () => {
  const { one, lines } = await scraped();
  await one.text();
  expect(await lines()).toContain('shelf_http_requests_total{route="/api/items",method="GET",status="200"} 2');
});
