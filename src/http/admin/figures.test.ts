import { expect, test } from 'bun:test';
import { Value } from 'typebox/value';
import type { Sample } from '../observe/last-hour.ts';
import type { Call } from '../route/route.ts';
import { figuresRoute } from './figures.ts';

const idle: Sample = {
  at: '2026-01-01T00:00:10.000Z',
  requests: 0,
  p50Ms: undefined,
  p99Ms: undefined,
  slowest: undefined,
  commits: 0,
  writes: 0,
  commitMs: 0,
  errors: {},
  memoryBytes: 0,
  connections: 0,
  listeners: 0,
  writesWaiting: 0,
};
const busy: Sample = {
  ...idle,
  p50Ms: 0,
  p99Ms: 0,
  slowest: { route: '/a', method: 'GET', status: 100, ms: 0, requestId: 'x', parameters: [] },
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
