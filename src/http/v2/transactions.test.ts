import { expect, test } from 'bun:test';
import { collections } from '../../collections/registry.ts';
import { anybody } from '../../domain/caller.ts';
import { parseJson } from '../../domain/input/json.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Bodies } from '../body/json-body.ts';
import type { Call } from '../route/route.ts';
import { transactionRoute } from './transactions.ts';

test('other requests get a turn while many operations are read', async () => {
  const operation = '{"op":"create","collection":"items","record":{"name":"Lamp","price":20}}';
  const body = parseJson(`{"operations":[${Array(1000).fill(operation).join()}]}`);
  let committed = 0;
  const store = {
    writes: {
      commit: async (_: unknown, { operations }: { operations: readonly unknown[] }) => {
        committed = operations.length;
        return { results: [], firstChange: 1, lastChange: 1000, isRepeated: false };
      },
    },
  } as unknown as Store;
  const { handle } = transactionRoute({
    collections,
    store,
    bodies: { read: () => body } as unknown as Bodies,
    idempotency: 1000,
  });
  let turns = 0;
  const tick = () => {
    turns++;
    timer = setImmediate(tick);
  };
  let timer = setImmediate(tick);
  const { now } = performance;
  try {
    // Each look at the clock is a millisecond later.
    let ms = 0;
    performance.now = () => ms++;
    const request = { header: () => null } as unknown as Call['request'];
    await handle({ request, search: '', caller: anybody } as unknown as Call);
  } finally {
    performance.now = now;
    clearImmediate(timer);
  }
  expect(committed).toBe(1000);
  expect(turns).toBeGreaterThan(100);
});
