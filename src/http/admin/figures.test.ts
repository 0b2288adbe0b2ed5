import { expect, test } from 'bun:test';
import { Value } from 'typebox/value';
import type { Sample } from '../observe/last-hour.ts';
import type { Call } from '../route/route.ts';
import { figuresRoute } from './figures.ts';

const idle: Sample = {
  at: '2026-01-01T00:00:10.000Z',
  requests: 0,
  p50_ms: null,
  p99_ms: null,
  slowest: null,
  commits: 0,
  writes: 0,
  commit_ms: 0,
  errors: {},
  memory_bytes: 0,
  connections: 0,
  listeners: 0,
  writes_waiting: 0,
};
const busy: Sample = {
  ...idle,
  p50_ms: 0,
  p99_ms: 0,
  slowest: { route: '/a', method: 'GET', status: 100, ms: 0, request_id: 'x', parameters: [] },
  errors: { not_found: 1 },
};

test('the answer fits its schema, also with the lowest figures', async () => {
  const { operation, handle } = figuresRoute(() => ({ since: idle.at, samples: [idle, busy] }));
  const { body } = await handle({} as Call);
  const answer = JSON.parse(String(body)) as { samples: unknown[] };
  expect(answer.samples).toHaveLength(2);
  const schema = operation?.answers[0]?.content?.['application/json']?.schema;
  expect(schema === undefined ? 'no schema' : [...Value.Errors(schema, answer)]).toEqual([]);
});
