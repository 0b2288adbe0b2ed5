import { expect, test } from 'bun:test';
import { type Asked, SearchSchedule } from './schedule.ts';

type Question = Asked & { readonly ms: number };

/** Searches that take `ms` milliseconds, in slices of 5, on a simulated clock. */
function open({ mostLong = 3, longPerClient = 2, isLogLarge = false } = {}) {
  let now = 0;
  let asked = 0;
  const ended: string[] = [];
  const open = new Set<number>();
  /** For each start of a search: the number of open searches, and the milliseconds since the last one ended. */
  const starts: { readonly open: number; readonly gap: number }[] = [];
  let lastAt = 0;
  const turns = new SearchSchedule<Question, number, undefined>({
    connections: Array.from({ length: mostLong + 1 }, (_, index) => index),
    mostLong,
    longPerClient,
    now: () => now,
    isLogLarge: () => isLogLarge,
    *search(connection, { client, ms }) {
      if (open.has(connection)) throw new Error('a connection has one search at a time');
      open.add(connection);
      starts.push({ open: open.size, gap: now - lastAt });
      try {
        for (let left = ms; left > 0; left -= 5) {
          now += Math.min(left, 5);
          if (client === 'broken') throw new Error('broken');
          if (left > 5) yield undefined;
        }
        return undefined;
      } finally {
        lastAt = now;
        open.delete(connection);
      }
    },
    found: ({ client }) => ended.push(`${client} at ${now}`),
    failed: ({ client }, error) => ended.push(`${client}: ${error}`),
    timedOut: ({ client }) => ended.push(`${client} timed out`),
  });
  return {
    ended,
    open,
    starts,
    turns,
    add: (client: string | undefined, ms: number, deadline = Number.POSITIVE_INFINITY) =>
      turns.add({ number: asked++, client, ms, deadline }),
    run(mostTurns = Number.POSITIVE_INFINITY) {
      // Time passes while no search may run.
      for (let n = 0; n < mostTurns && !turns.isIdle; n++) if (!turns.turn()) now += 10;
      return ended;
    },
  };
}

test('a short search does not wait for a long one to end', () => {
  const { add, run, ended } = open();
  for (let n = 0; n < 12; n++) add('greedy', 1000);
  run(30);
  add('greedy', 5);
  add('other', 5);
  run(2);
  expect(ended).toHaveLength(2);
  expect(ended[1]).toStartWith('other at ');
});

test('a turn lasts 10 ms, not one slice', () => {
  const { add, run, starts } = open();
  // Two turns of two slices: the first as a new search, the second as a long one.
  add('only', 20);
  expect(run(1)).toEqual(['only at 20']);
  expect(starts).toHaveLength(1);
});

test('what stands for many clients may have all long searches', () => {
  const { add, run, open: running } = open({ mostLong: 3, longPerClient: 1 });
  for (let n = 0; n < 4; n++) add(undefined, 1000);
  run(20);
  expect(running.size).toBe(3);
});

test('a client with many searches leaves another client its share', () => {
  const { add, run } = open();
  for (let n = 0; n < 12; n++) add('greedy', 1000);
  run(30);
  add('other', 1000);
  const at = run().findIndex((end) => end.startsWith('other'));
  // It gets a third of the time, so it ends with the first of the earlier searches.
  expect(at).toBeLessThan(4);
});

test('each search is answered, and in the end all connections are free', () => {
  const { add, run, open: inUse } = open();
  for (let n = 0; n < 50; n++) add(`client ${n % 7}`, 1 + 13 * (n % 11));
  add('broken', 100);
  expect(run()).toHaveLength(51);
  expect(run()).toContain('broken: Error: broken');
  expect(inUse.size).toBe(0);
});

test('a cancelled search ends, queued or running', () => {
  const { add, run, turns, open: inUse, ended } = open();
  for (let n = 0; n < 12; n++) add('leaves', 1000);
  run(8);
  add('leaves', 1000);
  expect(inUse.size).toBeGreaterThan(0);
  turns.cancel(({ client }) => client === 'leaves');
  expect({ idle: turns.isIdle, open: inUse.size, ended }).toEqual({ idle: true, open: 0, ended: [] });
});

test('a search past its deadline ends, running or waiting', () => {
  const { add, run, open: inUse } = open();
  for (let n = 0; n < 6; n++) add('slow', 1000, 100);
  add('quick', 5, 100);
  expect(run().filter((end) => end === 'slow timed out')).toHaveLength(6);
  expect(run()).toHaveLength(7);
  expect(inUse.size).toBe(0);
});

test('one long search at a time completes them all', () => {
  const { add, run } = open({ mostLong: 1, longPerClient: 1 });
  add('long', 100);
  add('long', 100);
  expect(run()).toHaveLength(2);
});

test('while the WAL is large, long searches run one at a time and leave gaps', () => {
  const { add, run, starts } = open({ isLogLarge: true });
  for (let n = 0; n < 6; n++) add(`client ${n}`, 100);
  expect(run()).toHaveLength(6);
  const resumed = starts.slice(6);
  expect(resumed).toHaveLength(5);
  expect(resumed.every((one) => one.open === 1 && one.gap >= 40)).toBe(true);
});
