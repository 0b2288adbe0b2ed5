import { expect, test } from 'bun:test';
import { metricsOf } from './metric-messages.ts';
import type { Message } from './protobuf.ts';
import { RequestMetrics } from './request-metrics.ts';

const get = { route: '/api/items', method: 'GET', scheme: 'http', version: '1.1', status: 200, error: undefined };
const refusal = { ...get, route: '', version: undefined, status: 400 };

function active(metrics: RequestMetrics): Message[] {
  const messages = metricsOf(metrics.counts, 'sqlite', { start: 0, end: 1 });
  const { sum } = messages.find(({ name }) => name === 'http.server.active_requests') as {
    sum: { dataPoints: Message[] };
  };
  return sum.dataPoints.map(({ asInt, attributes }) => ({ asInt, attributes }) as Message);
}

test('requests of all threads that have begun and are not answered are active; input that was no request is not', () => {
  const threads = [new RequestMetrics(), new RequestMetrics()];
  for (const thread of threads) {
    thread.began('GET', 'http');
    thread.began('GET', 'http');
    thread.request(get, 1);
    thread.request(refusal, 0);
    thread.began('GET', 'https');
    thread.request({ ...get, scheme: 'https', status: 404 }, 1);
  }
  const all = new RequestMetrics();
  for (const { counts } of threads) all.merge(counts);
  expect(active(all)).toEqual([
    { asInt: '2', attributes: { 'http.request.method': 'GET', 'url.scheme': 'http' } },
    { asInt: '0', attributes: { 'http.request.method': 'GET', 'url.scheme': 'https' } },
  ]);
});
