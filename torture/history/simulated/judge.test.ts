/** The checker accepts correct histories, with overlapping operations, lost answers and refused requests. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { judge } from '../check/judge.ts';
import { simulate } from './simulation.ts';

test('a correct history has no complaints', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      expect(judge(simulate(seed, 400))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('a simulated history has every kind of request and of outcome', () => {
  const { operations } = simulate(1, 4000);
  expect(new Set(operations.map(({ request }) => request.kind)).size).toBe(12);
  expect(new Set(operations.map(({ outcome }) => outcome.kind)).size).toBe(5);
  expect(operations.some(({ outcome }) => outcome.kind === 'ok' && outcome.replayed)).toBe(true);
});
