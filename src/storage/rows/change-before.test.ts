import { expect, test } from 'bun:test';
import { beforeProblem } from './change-before.ts';

test.each([
  ['created', 1, null, undefined],
  ['updated', 2, null, undefined],
  ['updated', 2, '{"version":1,"updated_at":"2026-01-01T00:00:00.000Z"}', undefined],
  ['updated', 9, '{"price":1e400,"version":1,"updated_at":"2026-01-01T00:00:00.000Z"}', undefined],
  ['created', 1, '{"version":1}', 'has a state before it, and is no update'],
  ['deleted', 2, '{"version":1}', 'has a state before it, and is no update'],
  ['updated', 2, '{"version":2}', 'has no earlier state before it'],
  ['updated', 2, '{"version":0}', 'has no earlier state before it'],
  ['updated', 2, '{"version":"1"}', 'has no earlier state before it'],
  ['updated', 2, '{"name":"x"}', 'has no earlier state before it'],
  ['updated', 2, 'null', 'has no earlier state before it'],
  ['updated', 2, '[1]', 'has no earlier state before it'],
  ['updated', 2, '{"version":1', 'has no earlier state before it'],
])('%s, version %p, before %p: %p', (type, version, before, problem) => {
  expect(beforeProblem(type, version, before)).toBe(problem as never);
});
