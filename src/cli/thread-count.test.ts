import { expect, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { defaults, engineOf } from '../../test/engine.ts';
import { threadCount } from './thread-count.ts';

const sqlite = engineOf('sqlite:data.db');
const config = (threads: number | 'auto', url = sqlite) => ({
  server: { ...defaults.server, threads },
  database: { ...defaults.database, url },
});

test('one thread per core, unless a number is given', () => {
  expect(threadCount(config('auto'), 'linux')).toEqual({ count: availableParallelism() });
  expect(threadCount(config(3), 'linux')).toEqual({ count: 3 });
  expect(threadCount(config(1), 'darwin')).toEqual({ count: 1 });
});

test('outside Linux there is one, and the operator is told', () => {
  expect(threadCount(config(2), 'darwin')).toEqual({
    count: 1,
    note: 'One thread serves: several need Linux, which balances a shared port; this is darwin.',
  });
});

test('PostgreSQL has workers instead', () => {
  const postgres = engineOf('postgres://shelf@localhost/shelf');
  expect(threadCount(config('auto', postgres), 'linux')).toEqual({ count: 1 });
  expect(() => threadCount(config(4, postgres), 'linux')).toThrow(
    '--threads 4 needs SQLite: with PostgreSQL, use --workers 4.',
  );
});
