import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Latencies } from './latencies.ts';

test('a quantile is within 6% of the exact one', () => {
  const ms = fc.double({ min: 0.001, max: 60_000, noNaN: true });
  fc.assert(
    fc.property(fc.array(ms, { minLength: 1, maxLength: 200 }), fc.constantFrom(0.5, 0.99, 1), (all, share) => {
      const latencies = new Latencies();
      for (const one of all) latencies.add(one);
      const exact = all.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * all.length)) - 1] ?? 0;
      const found = latencies.quantile(share) ?? 0;
      expect(found / exact).toBeGreaterThan(0.999);
      expect(found / exact).toBeLessThan(1.06);
      expect(found).toBeLessThanOrEqual(Math.max(...all));
    }),
  );
});

test('times beyond the buckets count in the first and in the last', () => {
  const latencies = new Latencies();
  for (const ms of [0, -1, 1e12]) latencies.add(ms);
  expect(latencies.count).toBe(3);
  expect(latencies.quantile(0.5)).toBe(0.001);
  expect(latencies.quantile(1)).toBeGreaterThan(900_000);
  latencies.clear();
  expect(latencies.quantile(0.5)).toBeUndefined();
});
