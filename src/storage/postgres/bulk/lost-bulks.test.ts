/** Looks at a bulk that waits for its client, at a place that the test sets. */
import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import type { SQL } from 'bun';
import { LostBulks } from './lost-bulks.ts';

const timeoutMs = 1000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function openBulks() {
  const bulk = { pid: 7, reached: 'here', ended: [] as unknown[], looks: 0 };
  async function answer(statement: string, parameters: unknown): Promise<unknown[][]> {
    if (!statement.includes('pg_terminate_backend')) {
      bulk.looks++;
      return [[bulk.pid, bulk.reached]];
    }
    bulk.ended.push(parameters);
    return [[true]];
  }
  const sql = {
    unsafe: (statement: string, parameters: unknown) => ({ values: () => answer(statement, parameters) }),
  } as unknown as SQL;
  const messages: string[] = [];
  const bulks = new LostBulks({ once: (ask) => ask(sql) }, timeoutMs, (message) => messages.push(message));
  const lookAfter = async (ms: number) => {
    jest.advanceTimersByTime(ms);
    await bulks.look();
  };
  return { bulks, bulk, messages, lookAfter };
}

test('a bulk that has waited for its client for half of the timeout is ended', async () => {
  const { bulk, messages, lookAfter } = openBulks();
  await lookAfter(0);
  await lookAfter(timeoutMs / 2 - 1);
  expect(bulk.ended).toEqual([]);
  await lookAfter(1);
  expect(bulk.ended).toEqual([[7, 'here']]);
  expect(messages).toEqual(['A bulk was ended: its instance sent nothing for 500 ms, and writes waited.']);
});

test('a bulk that goes on is not ended, however slow it is, and neither is the next one', async () => {
  const { bulk, lookAfter } = openBulks();
  for (let n = 0; n < 20; n++) {
    bulk.reached = `place ${n}`;
    await lookAfter(timeoutMs / 2 - 1);
  }
  for (let n = 0; n < 20; n++) {
    bulk.pid = n;
    await lookAfter(timeoutMs / 2 - 1);
  }
  expect(bulk.ended).toEqual([]);
});

test('an instance looks while a write waits, and not afterwards', async () => {
  const { bulks, bulk } = openBulks();
  const write = Promise.withResolvers<number>();
  const written = bulks.during(write.promise);
  jest.advanceTimersByTime(timeoutMs / 10);
  expect(bulk.looks).toBe(1);
  write.resolve(1);
  expect(await written).toBe(1);
  jest.advanceTimersByTime(timeoutMs);
  expect(bulk.looks).toBe(1);
});
