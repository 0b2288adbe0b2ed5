import { expect, test } from 'bun:test';
import { fileBudget } from './open-files.ts';

const requestedOn = (kind: string) => ({
  limits: { maxConnections: 10_000 },
  database: { url: { kind }, connections: 10 },
});

test.each([64, 256, 1024, 4096, 20_000, 1_000_000])('all uses together fit into %d open files', (limit) => {
  for (const [kind, threads] of [
    ['sqlite', 1],
    ['sqlite', 2],
    ['postgres', 1],
  ] as const) {
    const { connections, overLimit, bulks, lists } = fileBudget(requestedOn(kind), threads, limit);
    for (const part of [connections, bulks, lists]) expect(part).toBeGreaterThan(0);
    // 31 files are open without any request, and 20 more for a second thread; with PostgreSQL, its connections as well.
    const always = 31 + (kind === 'sqlite' ? 20 * (threads - 1) : 22);
    if (limit >= 128) expect(connections + overLimit + bulks + 3 * lists + always).toBeLessThan(limit);
    expect(connections).toBeLessThanOrEqual(requestedOn(kind).limits.maxConnections);
  }
});

test('without a limit of the system, --max-connections is not reduced', () => {
  const all = fileBudget(requestedOn('sqlite'), 1, Number.POSITIVE_INFINITY);
  expect(all).toEqual({ connections: 10_000, overLimit: 100, bulks: 256, lists: 64 });
});
