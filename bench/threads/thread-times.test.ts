import { expect, test } from 'bun:test';
import { type ThreadTime, threadTime, threadTimes, timePerRequest, timesTable } from './thread-times.ts';

const stat = (name: string, user: number, system: number) =>
  `42 (${name}) S 1 42 42 0 -1 4194304 9 9 9 9 ${user} ${system} 7 7 20 0 3 0 5 6 7\n`;
const status = (waits: number) => `Name:\tx\nvoluntary_ctxt_switches:\t${waits}\nnonvoluntary_ctxt_switches:\t99\n`;

test('a thread is read from its files, whatever its name is', () => {
  expect(threadTime(stat('a (b) c', 12, 3), status(8))).toEqual({
    name: 'a (b) c',
    user: 120_000,
    system: 30_000,
    waits: 8,
  });
});

test('the threads of this process are found, and the first one gets the name', () => {
  const times = threadTimes(process.pid, 'first');
  expect(times.get(String(process.pid))?.name).toBe('first');
  for (const { user, system, waits } of times.values()) expect(user + system + waits).toBeGreaterThanOrEqual(0);
});

const at = (name: string, user: number, system: number, waits = 0): ThreadTime => ({ name, user, system, waits });

test('what a thread spent is divided by the requests, and idle threads are one row', () => {
  const before = new Map([
    ['1', at('first', 1000, 1000, 10)],
    ['2', at('writer', 0, 0)],
    ['3', at('idle', 5, 0)],
  ]);
  const after = new Map([
    ['1', at('first', 2000, 1500, 20)],
    ['2', at('writer', 3000, 0, 100)],
    ['3', at('idle', 10, 0)],
    // It began in between.
    ['4', at('new', 0, 10, 5)],
  ]);
  expect(timePerRequest(before, after, 100)).toEqual([
    at('writer', 30, 0, 1),
    at('first', 10, 5, 0.1),
    at('2 others', 0.05, 0.1, 0.05),
  ]);
});

test('a thread of Shelf has a row, however little it has spent', () => {
  const after = new Map([
    ['1', at('first serving', 1000, 0)],
    ['2', at('shelf writer', 0, 0)],
  ]);
  expect(timePerRequest(new Map(), after, 10)).toEqual([at('first serving', 100, 0), at('shelf writer', 0, 0)]);
});

test('without idle threads there is no row of them', () => {
  expect(timePerRequest(new Map(), new Map([['1', at('first', 100, 0, 1)]]), 10)).toEqual([at('first', 10, 0, 0.1)]);
});

test('the table ends with the sum', () => {
  const lines = timesTable([at('first', 10, 5, 0.1), at('writer', 1, 2, 0.25)]).split('\n');
  expect(lines[0]).toMatch(/^ {2}thread +user µs +system µs +both +waits$/);
  expect(lines[1]).toMatch(/^ {2}first +10\.00 +5\.00 +15\.00 +0\.100$/);
  expect(lines[3]).toMatch(/^ {2}all +11\.00 +7\.00 +18\.00 +0\.350$/);
});
