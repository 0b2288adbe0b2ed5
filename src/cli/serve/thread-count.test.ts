import { expect, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { defaults, engineOf } from '../../../test/support/servers/engine.ts';
import { readCommand } from '../config/config.ts';
import { usableMemory } from '../process/memory-limit.ts';
import { threadCount } from './thread-count.ts';

const sqlite = engineOf('sqlite:data.db');
const postgres = engineOf('postgres://shelf@localhost/shelf');
const config = (threads: number | 'auto', url = sqlite) => ({
  server: { ...defaults.server, threads },
  database: { ...defaults.database, url },
});

const large = 64 * 1024 ** 3;
const linux = (cores: number, memory = large) => ({ platform: 'linux', cores, memory });
const darwin = { platform: 'darwin', cores: 64, memory: large };

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [5, 2],
  [6, 3],
  [15, 7],
  [16, 8],
  [64, 8],
])('auto on %d cores: %d', (cores, count) => {
  expect(threadCount(config('auto'), linux(cores))).toEqual({ count });
  expect(threadCount(config('auto', engineOf('memory:')), linux(cores))).toEqual({ count });
});

test.each([
  [64, 1],
  [192, 1],
  [256, 2],
  [512, 4],
  [1023, 7],
  [1024, 8],
])('auto with %d MiB of memory: at most %d', (megabytes, count) => {
  expect(threadCount(config('auto'), linux(64, megabytes * 1024 ** 2))).toEqual({ count });
  expect(threadCount(config('auto'), linux(2, megabytes * 1024 ** 2))).toEqual({ count: 1 });
  expect(threadCount(config(8), linux(64, megabytes * 1024 ** 2))).toEqual({ count: 8 });
});

test('cores and memory are those that this process may use', () => {
  const { platform } = process;
  const machine = { platform, cores: availableParallelism(), memory: usableMemory() };
  expect(threadCount(config('auto'))).toEqual(threadCount(config('auto'), machine));
});

test('auto is the default', () => {
  expect(readCommand([], {})).toMatchObject({ config: { server: { threads: 'auto' } } });
});

test('a number is that many threads, whatever the number of cores', () => {
  for (const cores of [1, 64]) {
    expect(threadCount(config(3), linux(cores))).toEqual({ count: 3 });
    expect(threadCount(config(1), linux(cores))).toEqual({ count: 1 });
  }
});

test('outside Linux there is one thread; the start says so if more were asked for', () => {
  expect(threadCount(config('auto'), darwin)).toEqual({ count: 1 });
  expect(threadCount(config(1), darwin)).toEqual({ count: 1 });
  expect(threadCount(config(2), darwin)).toEqual({
    count: 1,
    note: 'One thread serves: several need Linux, which balances a shared port; this is darwin.',
  });
});

test('PostgreSQL has one thread, and workers instead of more', () => {
  for (const machine of [linux(64), darwin]) {
    expect(threadCount(config('auto', postgres), machine)).toEqual({ count: 1 });
    expect(threadCount(config(1, postgres), machine)).toEqual({ count: 1 });
    expect(() => threadCount(config(4, postgres), machine)).toThrow(
      '--threads 4 needs SQLite: with PostgreSQL, use --workers 4.',
    );
  }
});
