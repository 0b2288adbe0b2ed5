import { expect, test } from 'bun:test';
import { ClientTotals, newClientTotals } from './client-totals.ts';

test('threads share the total of a client, which may exceed 32 bits', () => {
  const shared = newClientTotals();
  const [one, other] = [new ClientTotals(shared), new ClientTotals(shared)];
  const counter = one.counterOf('client');
  expect(other.counterOf('client')).toBe(counter);
  one.add(counter, 2 ** 40);
  other.add(counter, -1);
  expect(one.valueOf(counter)).toBe(2 ** 40 - 1);
});

test('clients have counters of their own, which differ from process to process', () => {
  const names = Array.from({ length: 50 }, (_, n) => `client ${n}`);
  const counters = () => {
    const totals = new ClientTotals();
    return names.map((name) => totals.counterOf(name));
  };
  const first = counters();
  // Two of fifty may share one.
  expect(new Set(first).size).toBeGreaterThan(45);
  expect(counters()).not.toEqual(first);
});
